// Revocation at the provider (RFC 7009), after the connection is gone here.
import type { JsonObject } from "../base";
import type { Core } from "../core";
import type { ClientKeys, Provider } from "../providers";
import { sendSideRequest } from "./side-request";
import { serverOfGrant } from "./token-server";
import type { Tokens } from "./tokens";

/** How long the caller of a deletion waits for the provider. */
const TIMEOUT_MS = 5000;

/** Asks the provider to end the grant, where it can. Whether it does changes nothing here: the tokens are forgotten. */
export async function revokeGrant(
  core: Core,
  provider: Provider,
  keys: ClientKeys,
  { accessToken, refreshToken, facts }: Tokens & { facts: JsonObject },
): Promise<void> {
  const template = provider.oauth2.revoke;
  if (template === undefined) return;
  try {
    const response = await sendSideRequest(core, {
      provider,
      template,
      keys,
      accessToken,
      // The longest-lived token stands for the grant.
      values: { refresh_token: (refreshToken ?? accessToken).reveal() },
      // Platforms take the token itself as the proof; RFC 7009 section 2.1 wants the client's, which a record states.
      defaults: { method: "POST", authMethod: "none" },
      server: serverOfGrant(provider.oauth2, facts),
      timeoutMs: TIMEOUT_MS,
    });
    // Some platforms say no inside HTTP 200.
    if (!response.ok || /"ok"\s*:\s*false/.test(await response.text()))
      core.log.warn("a grant was not revoked", { provider: provider.id, status: response.status });
  } catch (error) {
    core.log.warn("a grant was not revoked", { provider: provider.id, error });
  }
}
