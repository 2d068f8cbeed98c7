// Revocation at the provider (RFC 7009), after the connection was deleted here.
import type { JsonObject } from "../base";
import type { Core } from "../core";
import { EgressError } from "../egress";
import type { ClientKeys, Provider } from "../providers";
import { sendSideRequest } from "./side-request";
import { serverOfGrant } from "./token-server";
import type { Tokens } from "./tokens";

/** How long a deletion waits for the provider. */
const TIMEOUT_MS = 5000;

/** "refused": the provider has answered and has not revoked it. "unknown": it did not answer. */
export type Revoked = "revoked" | "refused" | "failed" | "unknown";

/**
 * Revokes a grant if the record has a `revoke_request`. `fence` is called just before the request. A failure is logged.
 */
export async function revokeGrant(
  core: Core,
  provider: Provider,
  keys: ClientKeys,
  { accessToken, refreshToken, facts }: Tokens & { facts: JsonObject },
  fence: () => Promise<void>,
): Promise<Revoked> {
  const template = provider.oauth2.revoke;
  if (template === undefined) return "revoked";
  try {
    const response = await sendSideRequest(core, {
      provider,
      template,
      keys,
      accessToken,
      // The longest-lived token, so that the whole grant is revoked.
      values: { refresh_token: (refreshToken ?? accessToken).reveal() },
      // Many platforms need no client authentication here. RFC 7009 section 2.1 requires it; the record can set it.
      defaults: { method: "POST", authMethod: "none" },
      server: serverOfGrant(provider.oauth2, facts),
      timeoutMs: TIMEOUT_MS,
      fence,
    });
    // Some platforms report a failure with HTTP 200.
    if (response.ok && !/"ok"\s*:\s*false/.test(await response.text())) return "revoked";
    core.log.warn("a grant was not revoked", { provider: provider.id, status: response.status });
    return "refused";
  } catch (error) {
    core.log.warn("a grant was not revoked", { provider: provider.id, error });
    return error instanceof EgressError && error.reason === "timeout" ? "unknown" : "failed";
  }
}
