// Requests for details of a grant: user info (`user_info_request`) and token introspection (`token_introspection_request`,
// RFC 7662). The record contains their templates and triggers.
import { isObject, type Json, type JsonObject, parseJson } from "../base";
import type { Core } from "../core";
import { type ClientKeys, parseExpression, type Provider, type TriggeredRequestConfig } from "../providers";
import { personOf } from "./person";
import { RefusedGrantError } from "./refused-grant";
import { type SideRequest, sendSideRequest } from "./side-request";
import { seconds, splitScopes } from "./token-answer";
import type { TokenGrant } from "./token-request";

export type Trigger = "on_token_grant" | "on_token_refresh";

/** Short, because the consent or refresh waits for the answer but does not depend on it. */
const TIMEOUT_MS = 10_000;

/**
 * The grant with the details that the provider returns; the same object if there are none. A failed request is logged and
 * does not fail the grant. Throws `RefusedGrantError` if the provider says that the token is not active.
 */
export async function withDetails(
  core: Core,
  provider: Provider,
  keys: ClientKeys,
  grant: TokenGrant,
  trigger: Trigger,
): Promise<TokenGrant> {
  const { userInfo, introspection } = provider.oauth2;
  const request = async (
    template: TriggeredRequestConfig | undefined,
    defaults: SideRequest["defaults"],
  ): Promise<Json | undefined> => {
    if (template === undefined || !template.triggers[trigger] || template.enabled === false) return undefined;
    try {
      return await answerOf(core, provider, keys, grant, template, defaults);
    } catch (error) {
      core.log.warn("could not get details of a grant", { provider: provider.id, error });
      return undefined;
    }
  };
  const [info, state] = await Promise.all([
    request(userInfo, { method: "GET", authMethod: "bearer_access_token" }),
    // POST: in a query, the token would be in the log of the provider (RFC 7662, section 2.1).
    request(introspection, { method: "POST", authMethod: "client_secret_basic" }),
  ]);
  if (isObject(state) && state["active"] === false) {
    throw new RefusedGrantError("The provider says that the token which it issued is not active.", grant);
  }
  const isOther = info !== undefined && isAnother(info, provider, grant);
  if (isOther)
    core.log.warn("the user info is that of another person and is ignored", { provider: provider.id });
  const person = info === undefined || isOther ? undefined : personIn(info, userInfo?.response_map);
  if (person === undefined && state === undefined) return grant;
  return {
    ...grant,
    ...(person === undefined ? {} : { userInfo: person }),
    ...(state === undefined || introspection === undefined ? {} : stateOf(core, state, introspection, grant)),
  };
}

/** The subject of user info must be that of the ID token (OpenID Connect Core, section 5.3.2). */
function isAnother(info: Json, { oauth2 }: Provider, { subject, facts }: TokenGrant): boolean {
  const isOfIdToken = oauth2.facts["user_id"]?.includes("id_token") === true;
  const known = subject ?? (isOfIdToken ? facts["user_id"] : undefined);
  const sub = isObject(info) ? info["sub"] : undefined;
  return typeof known === "string" && sub !== undefined && sub !== known;
}

async function answerOf(
  core: Core,
  provider: Provider,
  keys: ClientKeys,
  { accessToken }: TokenGrant,
  request: TriggeredRequestConfig,
  defaults: SideRequest["defaults"],
): Promise<Json> {
  const response = await sendSideRequest(core, {
    provider,
    template: request,
    keys,
    accessToken,
    defaults,
    timeoutMs: TIMEOUT_MS,
  });
  if (!response.ok) throw new Error(`the answer has status ${response.status}`);
  const text = await response.text();
  const form = response.headers.get("content-type")?.includes("x-www-form-urlencoded") === true;
  return form ? Object.fromEntries(new URLSearchParams(text)) : readJson(text);
}

// The parser's own message quotes its input, which may be personal data.
function readJson(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    throw new Error("the answer is not JSON");
  }
}

/** The well-known claims, or what the map finds. A map that finds the whole answer finds only the well-known claims. */
function personIn(answer: Json, map: Readonly<Record<string, string>> | undefined): Json | undefined {
  if (map === undefined) return personOf(answer);
  const found = Object.entries(mapped(answer, map) as JsonObject).flatMap(
    ([name, value]): [string, Json][] => {
      const kept = value === answer ? personOf(answer) : value;
      return kept === undefined ? [] : [[name, kept]];
    },
  );
  return Object.fromEntries(found);
}

/** The values that the map's expressions find; without a map, the whole answer. */
function mapped(answer: Json, map: Readonly<Record<string, string>> | undefined): Json {
  if (map === undefined) return answer;
  const picked: JsonObject = {};
  for (const [target, expression] of Object.entries(map)) {
    const value = parseExpression(expression)(answer);
    if (value !== undefined) picked[target] = value;
  }
  return picked;
}

/** Expiry and scopes from an introspection answer take precedence over those of the token answer. */
function stateOf(
  core: Core,
  answer: Json,
  request: TriggeredRequestConfig,
  grant: TokenGrant,
): Partial<TokenGrant> {
  const found = mapped(answer, request.response_map);
  if (!isObject(found)) return {};
  const { expires_in: expiry, scope } = found;
  const scopes = Array.isArray(scope) ? scope.filter((item) => typeof item === "string").join(" ") : scope;
  const expires = typeof expiry === "string" && expiry.trim() !== "" ? Number(expiry) : expiry;
  const relative = request.expiration_format === "relative_seconds";
  const lifetime =
    typeof expires === "number" && !relative ? expires - Math.floor(core.clock.now() / 1000) : expires;
  return {
    expiresIn: seconds(lifetime) ?? grant.expiresIn,
    scopes: typeof scopes === "string" && scopes !== "" ? splitScopes(scopes) : grant.scopes,
  };
}
