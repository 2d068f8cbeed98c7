// A client for the sandbox's own tests: form POST with a bearer, as on the platform.
import { isRecord, type JsonRecord } from "../../../catalogs/sandbox/chat/json";
import type { ChatSandbox } from "./sandbox";

/** Every scope that the product may request. */
export const ALL_SCOPES: readonly string[] = (
  "channels:read groups:read mpim:read im:read channels:history groups:history mpim:history im:history " +
  "users:read users:read.email users.profile:read chat:write im:write mpim:write"
).split(" ");

export const REDIRECT = "http://127.0.0.1:9/callback";

export type Call = (method: string, params?: Readonly<Record<string, string>>) => Promise<JsonRecord>;

/** Calls methods with the token of one person that holds these scopes. */
export function callerOf(
  sandbox: ChatSandbox,
  personName: string,
  scopes: readonly string[] = ALL_SCOPES,
): Call {
  const { accessToken } = sandbox.issueToken(personName, scopes);
  return callerWith(sandbox, accessToken);
}

export function callerWith(sandbox: ChatSandbox, accessToken: string): Call {
  return async (method, params = {}) => bodyOf(await post(sandbox, method, params, accessToken));
}

export function post(
  sandbox: ChatSandbox,
  method: string,
  params: Readonly<Record<string, string>>,
  accessToken: string,
): Promise<Response> {
  return fetch(sandbox.apiUrl + method, {
    method: "POST",
    headers: { authorization: `Bearer ${accessToken}` },
    body: new URLSearchParams(params),
  });
}

export async function bodyOf(response: Response): Promise<JsonRecord> {
  const body: unknown = await response.json();
  if (!isRecord(body)) throw new Error("The answer is not an object.");
  return body;
}

/** The address of the consent page. By default with alice's own chat:write and a state. */
export function consentUrl(
  sandbox: ChatSandbox,
  overrides: Readonly<Record<string, string | null>> = {},
): string {
  const url = new URL(sandbox.authorizeUrl);
  const fields = {
    client_id: sandbox.clientId,
    user_scope: "chat:write",
    redirect_uri: REDIRECT,
    state: "s1",
    ...overrides,
  };
  for (const [name, value] of Object.entries(fields)) if (value !== null) url.searchParams.set(name, value);
  return url.href;
}

/** A token request; client credentials by HTTP Basic unless they are among the fields. */
export async function tokenRequest(
  sandbox: ChatSandbox,
  fields: Readonly<Record<string, string>>,
  address: string = sandbox.tokenUrl,
): Promise<JsonRecord> {
  const basic = [sandbox.clientId, sandbox.clientSecret].map(encodeURIComponent).join(":");
  const authorization = "client_id" in fields ? {} : { authorization: `Basic ${btoa(basic)}` };
  const body = new URLSearchParams(fields);
  return bodyOf(await fetch(address, { method: "POST", headers: authorization, body }));
}
