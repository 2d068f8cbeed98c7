// What a provider is asked beside the token endpoint: who the user is (`user_info_request`) and what the token is good
// for (`token_introspection_request`, RFC 7662). Both by the record's templates, when their triggers say so.
import { isObject, type Json, type JsonObject, parseJson } from "../base";
import type { Core } from "../core";
import { type ClientKeys, parseExpression, type Provider, type TriggeredRequestConfig } from "../providers";
import { sendSideRequest } from "./side-request";
import { seconds, splitScopes } from "./token-answer";
import type { TokenGrant } from "./token-request";

export type Trigger = "on_token_grant" | "on_token_refresh";

/** Somebody waits for the consent or the refresh, which do not depend on the answer. */
const TIMEOUT_MS = 10_000;

/**
 * The grant with what the provider says of it; the very same one when that is nothing. What cannot be learned stays
 * unknown: a grant is not lost over that.
 */
export async function askedAbout(
  core: Core,
  provider: Provider,
  keys: ClientKeys,
  grant: TokenGrant,
  trigger: Trigger,
): Promise<TokenGrant> {
  const { userInfo, introspection } = provider.oauth2;
  const ask = async (
    request: TriggeredRequestConfig | undefined,
    authMethod: "bearer_access_token" | "client_secret_basic",
  ): Promise<Json | undefined> => {
    if (request === undefined || !request.triggers[trigger] || request.enabled === false) return undefined;
    try {
      return await answerOf(core, provider, keys, grant, request, authMethod);
    } catch (error) {
      core.log.warn("a question about a grant was not answered", { provider: provider.id, error });
      return undefined;
    }
  };
  const [info, state] = await Promise.all([
    ask(userInfo, "bearer_access_token"),
    ask(introspection, "client_secret_basic"),
  ]);
  if (info === undefined && state === undefined) return grant;
  return {
    ...grant,
    ...(info === undefined ? {} : { userInfo: mapped(info, userInfo?.response_map) }),
    ...(state === undefined || introspection === undefined ? {} : stateOf(core, state, introspection, grant)),
  };
}

async function answerOf(
  core: Core,
  provider: Provider,
  keys: ClientKeys,
  { accessToken }: TokenGrant,
  request: TriggeredRequestConfig,
  authMethod: "bearer_access_token" | "client_secret_basic",
): Promise<Json> {
  const response = await sendSideRequest(core, {
    provider,
    template: request,
    keys,
    accessToken,
    defaults: { method: "GET", authMethod },
    timeoutMs: TIMEOUT_MS,
  });
  if (!response.ok) throw new Error(`the answer has status ${response.status}`);
  const text = await response.text();
  const form = response.headers.get("content-type")?.includes("x-www-form-urlencoded") === true;
  return form ? Object.fromEntries(new URLSearchParams(text)) : readJson(text);
}

// The parser's own message quotes what it was given, which may be a person's data.
function readJson(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    throw new Error("the answer is not JSON");
  }
}

/** Without a map the whole answer; with one, what its expressions find. */
function mapped(answer: Json, map: Readonly<Record<string, string>> | undefined): Json {
  if (map === undefined) return answer;
  const picked: JsonObject = {};
  for (const [target, expression] of Object.entries(map)) {
    const value = parseExpression(expression)(answer);
    if (value !== undefined) picked[target] = value;
  }
  return picked;
}

/** What introspection says goes before what the token answer said; what it does not say stays. */
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
  const told = typeof expiry === "string" && expiry.trim() !== "" ? Number(expiry) : expiry;
  const relative = request.expiration_format === "relative_seconds";
  const life = typeof told === "number" && !relative ? told - Math.floor(core.clock.now() / 1000) : told;
  return {
    expiresIn: seconds(life) ?? grant.expiresIn,
    scopes: typeof scopes === "string" && scopes !== "" ? splitScopes(scopes) : grant.scopes,
  };
}
