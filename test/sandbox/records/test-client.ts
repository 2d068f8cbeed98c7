// A client for the sandbox's own tests: with the documented headers by default, or byte for byte.
import { connect } from "node:net";
import { isWireObject, readExact, type WireObject } from "../../../catalogs/sandbox/records/exact-json";
import type { DataCenter, RecordsSandbox } from "./index";
import { fullScope, KNOWN_SCOPES } from "../../../catalogs/sandbox/records/scopes";

export const REDIRECT = "http://127.0.0.1:9/callback";

export interface CallOptions {
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Called {
  readonly status: number;
  readonly code: string | undefined;
  /** Numbers are `Digits`. */
  readonly body: WireObject;
  readonly text: string;
}

/** `request`: method and path with query, as in `GET /creator/v2/meta/applications`. */
export async function call(center: DataCenter, request: string, options: CallOptions = {}): Promise<Called> {
  const [method = "", target = ""] = request.split(/ (.*)/s);
  const { token, body, headers } = options;
  const answer = await fetch(center.apiUrl + target, {
    method,
    headers: {
      accept: "application/json",
      ...(token === undefined ? {} : { authorization: `Zoho-oauthtoken ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  return calledOf(answer.status, await answer.text());
}

/** Sends a raw request target. */
export async function rawCall(
  center: DataCenter,
  method: string,
  target: string,
  token: string,
): Promise<Called> {
  const { hostname, port } = new URL(center.apiUrl);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const lines = [
    `${method} ${target} HTTP/1.1`,
    `Host: ${hostname}`,
    "Accept: application/json",
    `Authorization: Zoho-oauthtoken ${token}`,
    "Connection: close",
  ];
  let received = "";
  const socket = connect(Number(port), hostname, () => socket.write(`${lines.join("\r\n")}\r\n\r\n`));
  socket.on("data", (chunk) => (received += chunk.toString()));
  socket.on("end", () => resolve(received));
  socket.on("error", reject);
  const answer = await promise;
  const status = Number(/^HTTP\/1.1 (\d+)/.exec(answer)?.[1]);
  return calledOf(status, /\{.*\}/s.exec(answer)?.[0] ?? "");
}

function calledOf(status: number, text: string): Called {
  const value = readExact(text);
  const body = isWireObject(value) ? value : {};
  const { code } = body;
  return {
    status,
    text,
    body,
    code: code !== null && typeof code === "object" && "text" in code ? String(code.text) : undefined,
  };
}

/** A token answer, or a refusal. */
export async function tokenRequest(
  center: DataCenter,
  fields: Readonly<Record<string, string>>,
  sandbox: RecordsSandbox,
): Promise<Record<string, unknown>> {
  const credentials = { client_id: sandbox.clientId, client_secret: center.clientSecret };
  const answer = await fetch(center.tokenUrl, {
    method: "POST",
    body: new URLSearchParams({ ...credentials, ...fields }),
  });
  const body: unknown = await answer.json();
  if (answer.status !== 200 || typeof body !== "object" || body === null) throw new Error("No token answer.");
  return { ...body };
}

/** The address of the consent page. `null` omits a field. */
export function consentUrl(
  sandbox: RecordsSandbox,
  overrides: Readonly<Record<string, string | null>> = {},
  center: DataCenter = sandbox.us,
): string {
  const url = new URL(center.authorizeUrl);
  const fields = {
    response_type: "code",
    client_id: sandbox.clientId,
    redirect_uri: REDIRECT,
    scope: [...KNOWN_SCOPES].join(","),
    state: "s1",
    access_type: "offline",
    prompt: "consent",
    ...overrides,
  };
  for (const [name, value] of Object.entries(fields)) if (value !== null) url.searchParams.set(name, value);
  return url.href;
}

export const scopeText = (...names: string[]): string => names.map(fullScope).join(",");
