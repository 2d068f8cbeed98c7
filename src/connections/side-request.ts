// A request to an endpoint beside the token endpoint (user info, introspection, revocation), by its template.
import type { ClientAuth } from "oauth4webapi";
import { Redacted } from "../base";
import type { Core } from "../core";
import type { EgressRequest } from "../egress";
import { fill, fillAddress, type PlaceholderValues, type Provider, type RequestConfig } from "../providers";
import { type ClientKeys, clientAuthentication, placesSecret } from "./client-authentication";
import { endpointAt, type TokenServer } from "./token-server";

export interface SideRequest {
  request: RequestConfig;
  keys: ClientKeys;
  accessToken: Redacted;
  /** For templates: what this request may send besides the client's credentials. */
  values?: PlaceholderValues;
  /** When the record does not say. */
  defaults: { method: "GET" | "POST"; authMethod: NonNullable<RequestConfig["auth_method"]> };
  server?: TokenServer;
  timeoutMs: number;
}

/** Answers of more bytes are no answer to such a question. */
const MAX_BYTES = 1_000_000;

/** The answer, of whatever status. Throws `EgressError`, and `TokenRequestError` when the client cannot authenticate. */
export async function sendSideRequest(core: Core, provider: Provider, side: SideRequest): Promise<Response> {
  const { request, keys, timeoutMs, defaults, server } = side;
  const values: PlaceholderValues = {
    client_id: provider.oauth2.clientId,
    redirect_uri: provider.redirectUri,
    access_token: side.accessToken.reveal(),
    ...(keys.secret === undefined ? {} : { client_secret: keys.secret }),
    ...side.values,
  };
  const filled = fillAddress(request.endpoint, values);
  const endpoint = server === undefined ? filled : endpointAt(filled, server);
  const { authorization, body } = await credentials(provider, side, values, endpoint);
  const shown = authorization !== undefined || body.has("client_assertion");
  for (const [name, template] of Object.entries(request.params ?? {})) {
    const value = fill(template, values);
    if (value !== "" && !(shown && placesSecret(template))) body.set(name, value);
  }
  const headers: NonNullable<EgressRequest["headers"]> = {
    accept: "application/json",
    ...(authorization === undefined ? {} : { authorization: new Redacted(authorization) }),
  };
  const limits = { timeoutMs, maxBytes: MAX_BYTES };
  const url = new URL(endpoint);
  if ((request.method ?? defaults.method) === "GET") {
    for (const [name, value] of body) url.searchParams.set(name, value);
    return core.egress.fetch(url, { method: "GET", headers, ...limits });
  }
  const type = request.request_content_type ?? "application/x-www-form-urlencoded";
  const text = type === "application/json" ? JSON.stringify(Object.fromEntries(body)) : body.toString();
  return core.egress.fetch(url, {
    method: "POST",
    headers: { ...headers, "content-type": type },
    body: new Redacted(text),
    ...limits,
  });
}

async function credentials(
  provider: Provider,
  { request, keys, accessToken, defaults }: SideRequest,
  values: PlaceholderValues,
  endpoint: string,
): Promise<{ authorization: string | undefined; body: URLSearchParams }> {
  const body = new URLSearchParams();
  const method = request.auth_method ?? defaults.authMethod;
  const format = request.auth_header_value_format;
  if (format !== undefined) return { authorization: fill(format, values), body };
  if (method === "bearer_access_token") return { authorization: `Bearer ${accessToken.reveal()}`, body };
  if (method === "" || method === "none") return { authorization: undefined, body };
  const asked = { ...request, auth_method: method };
  const show: ClientAuth = await clientAuthentication(provider, asked, keys, values, endpoint);
  const headers = new Headers();
  const { clientId: client_id, issuer } = provider.oauth2;
  await show({ issuer: issuer ?? new URL(endpoint).origin }, { client_id }, body, headers);
  return { authorization: headers.get("authorization") ?? undefined, body };
}
