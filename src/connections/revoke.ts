// Revocation at the provider (RFC 7009), after the connection is gone here.
import { type JsonObject, Redacted } from "../base";
import type { Core } from "../core";
import { fill, type Provider } from "../providers";
import { endpointAt, serverOfGrant } from "./token-server";
import type { Tokens } from "./tokens";

/** How long the caller of a deletion waits for the provider. */
const TIMEOUT_MS = 5000;

/** Asks the provider to end the grant, where it can. Whether it does changes nothing here: the tokens are forgotten. */
export async function revokeGrant(
  core: Core,
  provider: Provider,
  secret: string | undefined,
  tokens: Tokens & { facts: JsonObject },
): Promise<void> {
  const request = provider.oauth2.revoke;
  if (request === undefined) return;
  const token = (tokens.refreshToken ?? tokens.accessToken).reveal();
  const values = {
    client_id: provider.oauth2.clientId,
    access_token: tokens.accessToken.reveal(),
    refresh_token: token,
    ...(secret === undefined ? {} : { client_secret: secret }),
  };
  const parameters = new URLSearchParams();
  for (const [name, template] of Object.entries(request.params ?? {})) {
    parameters.set(name, fill(template, values));
  }
  const bearer = request.auth_method === "bearer_access_token";
  try {
    const response = await core.egress.fetch(
      endpointAt(request.endpoint, serverOfGrant(provider.oauth2, tokens.facts)),
      {
        method: "POST",
        timeoutMs: TIMEOUT_MS,
        headers: {
          accept: "application/json",
          "content-type": "application/x-www-form-urlencoded",
          ...(bearer ? { authorization: new Redacted(`Bearer ${values.access_token}`) } : {}),
        },
        body: new Redacted(parameters.toString()),
      },
    );
    if (!response.ok)
      core.log.warn("a grant was not revoked", { provider: provider.id, status: response.status });
  } catch (error) {
    core.log.warn("a grant was not revoked", { provider: provider.id, error });
  }
}
