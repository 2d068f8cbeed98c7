// What a provider is asked beside the token endpoint: who the user is (`user_info_request`) and what the token is good
// for (`token_introspection_request`, RFC 7662). Both by the record's templates, when their triggers say so.
import { isObject, type Json, type JsonObject, parseJson, Redacted } from "../base";
import type { Core } from "../core";
import type { EgressRequest } from "../egress";
import {
  fill,
  type PlaceholderValues,
  parseExpression,
  type Provider,
  type TriggeredRequestConfig,
} from "../providers";
import { splitScopes } from "./token-answer";
import type { TokenGrant } from "./token-request";

export type Trigger = "on_token_grant" | "on_token_refresh";

/** Answers that are larger are no answer to such a question. */
const MAX_BYTES = 1_000_000;

/** The grant with what the provider says of it. What cannot be learned stays unknown: a grant is not lost over that. */
export async function askedAbout(
  core: Core,
  provider: Provider,
  secret: string | undefined,
  grant: TokenGrant,
  trigger: Trigger,
): Promise<TokenGrant> {
  const { userInfo, introspection } = provider.oauth2;
  const ask = async (
    request: TriggeredRequestConfig | undefined,
    method: string,
  ): Promise<Json | undefined> => {
    if (request === undefined || !request.triggers[trigger] || request.enabled === false) return undefined;
    try {
      return await answerOf(core, provider, secret, grant, request, method);
    } catch (error) {
      core.log.warn("a question about a grant was not answered", { provider: provider.id, error });
      return undefined;
    }
  };
  const [info, state] = await Promise.all([ask(userInfo, "GET"), ask(introspection, "GET")]);
  return {
    ...grant,
    ...(info === undefined ? {} : { userInfo: mapped(info, userInfo?.response_map) }),
    ...(state === undefined || introspection === undefined ? {} : stateOf(core, state, introspection, grant)),
  };
}

async function answerOf(
  core: Core,
  provider: Provider,
  secret: string | undefined,
  grant: TokenGrant,
  request: TriggeredRequestConfig,
  defaultMethod: string,
): Promise<Json | undefined> {
  const token = grant.accessToken.reveal();
  const values: PlaceholderValues = {
    client_id: provider.oauth2.clientId,
    redirect_uri: provider.redirectUri,
    access_token: token,
    ...(secret === undefined ? {} : { client_secret: secret }),
  };
  const parameters = new URLSearchParams();
  for (const [name, template] of Object.entries(request.params ?? {}))
    parameters.set(name, fill(template, values));
  const authorization = authorizationOf(provider, request, secret, token, values);
  const headers = { accept: "application/json", ...(authorization === undefined ? {} : { authorization }) };
  const response = await core.egress.fetch(...callOf(request, defaultMethod, parameters, headers, values));
  if (!response.ok) throw new Error(`the answer has status ${response.status}`);
  const text = await response.text();
  const form = response.headers.get("content-type")?.includes("x-www-form-urlencoded") === true;
  return form ? Object.fromEntries(new URLSearchParams(text)) : parseJson(text);
}

type Headers = NonNullable<EgressRequest["headers"]>;

function callOf(
  request: TriggeredRequestConfig,
  defaultMethod: string,
  parameters: URLSearchParams,
  headers: Headers,
  values: PlaceholderValues,
): [URL, EgressRequest] {
  const url = new URL(fill(request.endpoint, values));
  if ((request.method ?? defaultMethod) === "GET") {
    for (const [name, value] of parameters) url.searchParams.set(name, value);
    return [url, { method: "GET", headers, maxBytes: MAX_BYTES }];
  }
  const type = request.request_content_type ?? "application/x-www-form-urlencoded";
  const text =
    type === "application/json" ? JSON.stringify(Object.fromEntries(parameters)) : parameters.toString();
  return [
    url,
    {
      method: "POST",
      headers: { ...headers, "content-type": type },
      body: new Redacted(text),
      maxBytes: MAX_BYTES,
    },
  ];
}

// User info takes the token, introspection the client, unless the record says otherwise.
function authorizationOf(
  provider: Provider,
  request: TriggeredRequestConfig,
  secret: string | undefined,
  token: string,
  values: PlaceholderValues,
): Redacted | undefined {
  const format = request.auth_header_value_format;
  if (format !== undefined) return new Redacted(fill(format, values));
  const method =
    request.auth_method ??
    (request === provider.oauth2.userInfo ? "bearer_access_token" : "client_secret_basic");
  if (method === "bearer_access_token") return new Redacted(`Bearer ${token}`);
  if (!method.startsWith("client_secret_basic") || secret === undefined) return undefined;
  const encode = method === "client_secret_basic" ? formEncoded : (text: string) => text;
  const pair = `${encode(provider.oauth2.clientId)}:${encode(secret)}`;
  return new Redacted(`Basic ${Buffer.from(pair).toString("base64")}`);
}

function formEncoded(text: string): string {
  return new URLSearchParams({ text }).toString().slice("text=".length);
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

function stateOf(
  core: Core,
  answer: Json,
  request: TriggeredRequestConfig,
  grant: TokenGrant,
): Partial<TokenGrant> {
  const found = mapped(answer, request.response_map);
  if (!isObject(found)) return {};
  const scopes = Array.isArray(found["scope"]) ? found["scope"].join(" ") : found["scope"];
  const expiry = Number(found["expires_in"]);
  const relative = request.expiration_format === "relative_seconds";
  const expiresIn = relative ? expiry : expiry - Math.floor(core.clock.now() / 1000);
  return {
    expiresIn: Number.isFinite(expiresIn) && expiresIn > 0 ? Math.floor(expiresIn) : grant.expiresIn,
    scopes: typeof scopes === "string" && scopes !== "" ? splitScopes(scopes) : grant.scopes,
  };
}
