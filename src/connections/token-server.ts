// The token server of a grant, for providers with several servers. A callback can be forged and the client secret is sent
// to the server, so only origins of a fixed list are accepted.
import type { JsonObject } from "../base";
import { environmentName } from "../config";
import type { EffectiveOAuth2 } from "../providers";

export interface TokenServer {
  /** Replaces the endpoint's origin; undefined: the endpoint is used unchanged. */
  origin: string | undefined;
  /** Stored with the facts of the grant, for its refreshes. */
  facts: JsonObject;
}

/** The server that a callback names. Throws `RangeError` if it is not in the list. */
export function serverOfCallback(
  { tokenServers }: EffectiveOAuth2,
  parameters: URLSearchParams,
): TokenServer {
  const named = tokenServers === undefined ? null : parameters.get(tokenServers.parameter);
  if (tokenServers === undefined || named === null) return { origin: undefined, facts: {} };
  const origin = URL.parse(named)?.origin;
  if (origin === undefined || !tokenServers.origins.includes(origin)) {
    const { parameter, setting } = tokenServers;
    throw new RangeError(
      `The callback names an unknown accounts server (parameter ${parameter}). ` +
        (setting === undefined
          ? ""
          : `If it belongs to the platform, add it to ${setting} (${environmentName(setting)}).`),
    );
  }
  return { origin, facts: { [tokenServers.fact]: origin } };
}

/** The server of an earlier grant, if it is still in the list. */
export function serverOfGrant({ tokenServers }: EffectiveOAuth2, facts: JsonObject): TokenServer {
  const origin = tokenServers === undefined ? undefined : facts[tokenServers.fact];
  const known = typeof origin === "string" && tokenServers?.origins.includes(origin) === true;
  return { origin: known ? origin : undefined, facts: {} };
}

/** The endpoint at a server. */
export function endpointAt(endpoint: string, { origin }: TokenServer): string {
  if (origin === undefined) return endpoint;
  const { pathname, search } = new URL(endpoint);
  return origin + pathname + search;
}
