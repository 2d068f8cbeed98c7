// How consents are verified, on the data folder and over HTTP.
import type { SessionVerification, UpdateSessionVerification } from "../../src/settings";
import { capability } from "./client";

const SETTINGS = "/v1/admin/settings/session_verification";

export const getSettings = capability<[], SessionVerification>({
  direct: ({ runtime, principal }) => runtime.settings.get(principal),
  remote: (server) => server.get(SETTINGS),
});

export const updateSettings = capability<[change: UpdateSessionVerification], SessionVerification>({
  direct: async ({ runtime, principal, checked }, change) => {
    const { UpdateSessionVerificationSettingsRequest } = await import("../../src/settings/schema");
    const request = checked(UpdateSessionVerificationSettingsRequest, change);
    return runtime.settings.update(principal, request);
  },
  remote: (server, change) => server.send("PUT", SETTINGS, change),
});
