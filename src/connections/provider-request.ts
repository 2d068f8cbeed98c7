// Requests to a provider's endpoints, built from the templates of its record: token, user info, introspection and
// revocation requests.
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
  /** Values for placeholders, in addition to those of the client. */
  values?: PlaceholderValues;
  server?: TokenServer;
}

export interface FilledRequest extends ProviderRequest {
  values: PlaceholderValues;
  endpoint: string;
}

/** Sent in addition to the template's parameters. */
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

/** Sends a request. The template's method and content type take precedence over `options`. */
export function sendRequest(
  core: Core,
  { provider, template, values, endpoint }: FilledRequest,
  { authorization, body }: Credentials,
  settings: Pick<EgressRequest, "timeoutMs" | "maxBytes" | "fence"> & { method: "GET" | "POST" },
): Promise<Response> {
  const options = {
    ...settings,
    group: "auth_provider",
    project: provider.projectId,
    secretsFor: provider.origins,
  } as const;
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
