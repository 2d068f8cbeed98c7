// Where a token request goes, for providers whose users' grants lie on one of several servers. The client's secret
// goes there, so only origins that are known may be named by a callback, which anybody can write.
import type { JsonObject } from "../base";
import { environmentName } from "../config";
import type { EffectiveOAuth2 } from "../providers";

export interface TokenServer {
  /** Replaces the endpoint's origin; undefined: the endpoint as it stands. */
  origin: string | undefined;
  /** To be kept among the facts of the grant, for its refreshes. */
  facts: JsonObject;
}

/** The server that a callback names. Throws `RangeError` for one that is not known. */
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
      `The callback names an accounts server that is not known here (parameter ${parameter}). ` +
        (setting === undefined
          ? ""
          : `If it is the platform's, list it in ${setting} (${environmentName(setting)}).`),
    );
  }
  return { origin, facts: { [tokenServers.fact]: origin } };
}

/** The server of an earlier grant. One that is no longer known is not asked. */
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
