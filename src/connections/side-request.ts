// Requests to endpoints other than the token endpoint: user info, introspection, revocation.
import type { Redacted } from "../base";
import type { Core } from "../core";
import type { EgressRequest } from "../egress";
import { fill, type RequestConfig } from "../providers";
import { clientAuthentication } from "./client-authentication";
import {
  type Credentials,
  type FilledRequest,
  fillRequest,
  type ProviderRequest,
  sendRequest,
} from "./provider-request";

export interface SideRequest extends ProviderRequest {
  accessToken: Redacted;
  /** For settings that the record leaves out. */
  defaults: { method: "GET" | "POST"; authMethod: NonNullable<RequestConfig["auth_method"]> };
  timeoutMs: number;
  fence?: EgressRequest["fence"];
}

/** Longer answers are refused. */
const MAX_BYTES = 1_000_000;

/** Returns the answer with any status. Throws `EgressError`, or `TokenRequestError` if the client cannot authenticate. */
export async function sendSideRequest(core: Core, side: SideRequest): Promise<Response> {
  const { accessToken, defaults, timeoutMs, template, fence } = side;
  const request = fillRequest({
    ...side,
    template: { ...template, auth_method: template.auth_method ?? defaults.authMethod },
    values: { access_token: accessToken.reveal(), ...side.values },
  });
  const credentials = await credentialsOf(request, accessToken);
  const settings = { method: defaults.method, timeoutMs, maxBytes: MAX_BYTES, fence };
  return sendRequest(core, request, credentials, settings);
}

async function credentialsOf(request: FilledRequest, accessToken: Redacted): Promise<Credentials> {
  const { provider, template, values, endpoint } = request;
  const { auth_method: method, auth_header_value_format: format } = template;
  const body = new URLSearchParams();
  if (format !== undefined) return { authorization: fill(format, values), body };
  if (method === "bearer_access_token") return { authorization: `Bearer ${accessToken.reveal()}`, body };
  if (method === "" || method === "none") return { authorization: undefined, body };
  const authenticate = await clientAuthentication(request);
  const headers = new Headers();
  const { clientId: client_id, issuer } = provider.oauth2;
  await authenticate({ issuer: issuer ?? new URL(endpoint).origin }, { client_id }, body, headers);
  return { authorization: headers.get("authorization") ?? undefined, body };
}
