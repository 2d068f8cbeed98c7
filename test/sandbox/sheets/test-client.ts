// A client for the stand-in's own tests.
import { isRecord, type JsonRecord } from "../../../catalogs/sandbox/chat/json";
import type { SheetsSandbox } from "./sandbox";

const BASE = "https://www.googleapis.com/auth";
export const DRIVE_FILE = `${BASE}/drive.file`;
export const DRIVE = `${BASE}/drive`;
export const DRIVE_READONLY = `${BASE}/drive.readonly`;
export const EMAIL = `${BASE}/userinfo.email`;
export const PROFILE = `${BASE}/userinfo.profile`;

export const REDIRECT = "http://127.0.0.1:9/callback";
export const VERIFIER = "v".repeat(43);

export interface Answer {
  readonly status: number;
  readonly body: JsonRecord;
  readonly headers: Headers;
}

export type Call = (verb: string, path: string, body?: unknown) => Promise<Answer>;

/** Calls with the token of a person that holds these scopes. */
export function callerOf(
  sandbox: SheetsSandbox,
  personName = "alice",
  scopes: readonly string[] = [DRIVE_FILE],
  clientId = sandbox.clientId,
): Call {
  return callerWith(sandbox, sandbox.issueToken(personName, scopes, { clientId }).accessToken);
}

export function callerWith(sandbox: SheetsSandbox, token: string | null): Call {
  return async (verb, path, body) => {
    const response = await fetch(sandbox.url + path, {
      method: verb,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const read: unknown = await response.json().catch(() => ({}));
    return { status: response.status, body: isRecord(read) ? read : {}, headers: response.headers };
  };
}

/** The message of a refusal. */
export function messageOf({ body }: Answer): string {
  const { error } = body;
  return isRecord(error) && typeof error["message"] === "string" ? error["message"] : "";
}

/** The address of the consent page. By default with drive.file, offline access, PKCE and a state. */
export function consentUrl(
  sandbox: SheetsSandbox,
  overrides: Readonly<Record<string, string | null>> = {},
): string {
  const url = new URL(sandbox.authorizeUrl);
  const fields = {
    client_id: sandbox.clientId,
    redirect_uri: REDIRECT,
    response_type: "code",
    scope: DRIVE_FILE,
    state: "s1",
    access_type: "offline",
    prompt: "consent",
    code_challenge: challengeOf(VERIFIER),
    code_challenge_method: "S256",
    ...overrides,
  };
  for (const [name, value] of Object.entries(fields)) if (value !== null) url.searchParams.set(name, value);
  return url.href;
}

export function challengeOf(verifier: string): string {
  return new Bun.CryptoHasher("sha256").update(verifier).digest("base64url");
}

/** A token request with the client's credentials in the form by default. */
export async function tokenRequest(
  sandbox: SheetsSandbox,
  fields: Readonly<Record<string, string>>,
): Promise<JsonRecord> {
  const body = new URLSearchParams({
    client_id: sandbox.clientId,
    client_secret: sandbox.clientSecret,
    ...fields,
  });
  const read: unknown = await (await fetch(sandbox.tokenUrl, { method: "POST", body })).json();
  return isRecord(read) ? read : {};
}

/** The fields of a code exchange after a consent that led to this address. */
export function exchangeOf(location: string): Record<string, string> {
  const code = new URL(location).searchParams.get("code") ?? "";
  return { grant_type: "authorization_code", code, redirect_uri: REDIRECT, code_verifier: VERIFIER };
}
