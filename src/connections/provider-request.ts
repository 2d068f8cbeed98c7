// A request to an endpoint of a provider, filled in from its template: the same for token, user info, introspection
// and revocation requests.
import { Redacted } from "../base";
import type { Core } from "../core";
import type { EgressRequest } from "../egress";
import {
  type ClientKeys,
  fill,
  fillAddress,
  mentions,
  type PlaceholderValues,
  type Provider,
  type RequestConfig,
} from "../providers";
import { endpointAt, type TokenServer } from "./token-server";

export interface ProviderRequest {
  provider: Provider;
  template: RequestConfig;
  keys: ClientKeys;
  /** For placeholders, in addition to the client's own values. */
  values?: PlaceholderValues;
  server?: TokenServer;
}

export interface FilledRequest extends ProviderRequest {
  values: PlaceholderValues;
  endpoint: string;
}

/** What is sent besides the template's parameters. */
export interface Credentials {
  authorization: string | undefined;
  body: URLSearchParams;
}

export function fillRequest(request: ProviderRequest): FilledRequest {
  const { provider, template, keys, server } = request;
  const values: PlaceholderValues = {
    client_id: provider.oauth2.clientId,
    redirect_uri: provider.redirectUri,
    ...(keys.secret === undefined ? {} : { client_secret: keys.secret }),
    ...request.values,
  };
  const address = fillAddress(template.endpoint, values);
  return { ...request, values, endpoint: server === undefined ? address : endpointAt(address, server) };
}

/** Sends a request in the form that its template asks for, with the method of `options` if it does not name one. */
export function sendRequest(
  core: Core,
  { template, values, endpoint }: FilledRequest,
  { authorization, body }: Credentials,
  options: Pick<EgressRequest, "timeoutMs" | "maxBytes"> & { method: "GET" | "POST" },
): Promise<Response> {
  const authenticated = authorization !== undefined || body.has("client_assertion");
  for (const [name, parameter] of Object.entries(template.params ?? {})) {
    const value = fill(parameter, values);
    if (value !== "" && !(authenticated && placesSecret(parameter))) body.set(name, value);
  }
  const url = new URL(endpoint);
  const headers = {
    accept: "application/json",
    ...(authorization === undefined ? {} : { authorization: new Redacted(authorization) }),
  };
  if ((template.method ?? options.method) === "GET") {
    for (const [name, value] of body) url.searchParams.set(name, value);
    return core.egress.fetch(url, { ...options, method: "GET", headers });
  }
  const type = template.request_content_type ?? "application/x-www-form-urlencoded";
  const text = type === "application/json" ? JSON.stringify(Object.fromEntries(body)) : body.toString();
  return core.egress.fetch(url, {
    ...options,
    method: "POST",
    headers: { ...headers, "content-type": type },
    body: new Redacted(text),
  });
}

export function placesSecret(template: string): boolean {
  return mentions(template, "client_secret");
}
