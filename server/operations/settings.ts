// Administration of session verification.
import {
  SessionVerificationSettingsResponse,
  UpdateSessionVerificationSettingsRequest,
} from "../../src/settings/schema";
import { operation } from "./operation";
import { routed } from "./routing";

const tag = "Administration";

export const settingsOperations = [
  operation({
    ...routed("session-verification-settings-get"),
    tag,
    summary: "Get how consents are verified",
    success: { status: 200, schema: SessionVerificationSettingsResponse },
    errors: [401, 403, 404, 500],
    handle: ({ runtime, principal }) => runtime.settings.get(principal),
  }),
  operation({
    ...routed("session-verification-settings-update"),
    tag,
    summary: "Change how consents are verified",
    body: UpdateSessionVerificationSettingsRequest,
    success: { status: 200, schema: SessionVerificationSettingsResponse },
    errors: [400, 401, 403, 413, 415, 500],
    handle: ({ runtime, principal, body }) => runtime.settings.update(principal, body),
  }),
];
