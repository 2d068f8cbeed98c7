// Administration of session verification.
import {
  SessionVerificationSettingsResponse,
  UpdateSessionVerificationSettingsRequest,
} from "../../src/settings";
import { operation } from "./operation";

const tag = "Administration";

export const settingsOperations = [
  operation({
    id: "session-verification-settings-get",
    method: "GET",
    path: "/v1/admin/settings/session_verification",
    tag,
    summary: "Get how consents are verified",
    credential: ["admin", "read"],
    success: { status: 200, schema: SessionVerificationSettingsResponse },
    errors: [401, 403, 404, 500],
    handle: ({ runtime, principal }) => runtime.settings.get(principal),
  }),
  operation({
    id: "session-verification-settings-update",
    method: "PUT",
    path: "/v1/admin/settings/session_verification",
    tag,
    summary: "Change how consents are verified",
    credential: ["admin"],
    body: UpdateSessionVerificationSettingsRequest,
    success: { status: 200, schema: SessionVerificationSettingsResponse },
    errors: [400, 401, 403, 413, 415, 500],
    handle: ({ runtime, principal, body }) => runtime.settings.update(principal, body),
  }),
];
