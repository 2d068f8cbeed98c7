// Administration of session verification.
import {
  SessionVerificationSettingsResponse,
  UpdateSessionVerificationSettingsRequest,
} from "../../src/settings/schema";
import { operation } from "./operation";

const tag = "Administration";

export const settingsOperations = [
  operation("GET", "/v1/admin/settings/session_verification", {
    id: "session-verification-settings-get",
    etag: "record",
    credential: ["admin", "read"],
    tag,
    summary: "Get how consents are verified",
    success: { status: 200, schema: SessionVerificationSettingsResponse },
    errors: [401, 403, 404, 500],
    handle: ({ runtime, principal }) => runtime.settings.get(principal),
  }),
  operation("PUT", "/v1/admin/settings/session_verification", {
    id: "session-verification-settings-update",
    credential: ["admin"],
    tag,
    summary: "Change how consents are verified",
    body: UpdateSessionVerificationSettingsRequest,
    success: { status: 200, schema: SessionVerificationSettingsResponse },
    errors: [400, 401, 403, 413, 415, 500],
    handle: ({ runtime, principal, body }) => runtime.settings.update(principal, body),
  }),
];
