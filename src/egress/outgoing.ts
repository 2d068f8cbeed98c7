// A request as it leaves, and as the log may show it. Secrets stay `Redacted` until the wire.
import { type LogFields, Redacted, reveal } from "../base";
import type { Target } from "./target";
import type { EgressRequest, TlsOptions } from "./types";

export interface Outgoing {
  method: NonNullable<EgressRequest["method"]>;
  /** Names in lower case. */
  headers: ReadonlyMap<string, string | Redacted>;
  body: string | Redacted | undefined;
  tls?: TlsOptions | undefined;
}

/** What to send where; a redirect makes the next one. */
export interface Step {
  target: Target;
  outgoing: Outgoing;
}

/** Headers of the connection itself: pinning and Bun set them, and a caller's `content-length` could smuggle. */
const OF_THE_CONNECTION = new Set([
  "host",
  "connection",
  "keep-alive",
  "content-length",
  "expect",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "proxy-connection",
]);

/** Secret by name, even where a caller passes plain text. */
const SECRET = new Set(["authorization", "cookie", "proxy-authorization"]);

/**
 * Checks a request before anything is resolved or sent. Headers that belong to the connection are left out.
 * Throws `TypeError` (a caller's mistake) for a header that HTTP cannot carry and for a GET or HEAD with a body; the
 * message does not repeat values.
 */
export function outgoing(request: EgressRequest): Outgoing {
  const { method = "GET", body, tls } = request;
  if (body !== undefined && (method === "GET" || method === "HEAD")) {
    throw new TypeError(`A ${method} request has no body.`);
  }
  const headers = new Map<string, string | Redacted>();
  for (const [name, value] of Object.entries(request.headers ?? {})) {
    const key = name.toLowerCase();
    if (OF_THE_CONNECTION.has(key)) continue;
    checkHeader(key, value);
    headers.set(key, SECRET.has(key) ? redacted(value) : value);
  }
  return { method, headers, body, tls };
}

/** For the wire: the one place where secrets become text. */
export function revealHeaders(headers: Outgoing["headers"]): Headers {
  const revealed = new Headers();
  for (const [name, value] of headers) revealed.set(name, reveal(value));
  return revealed;
}

/** For the log: bodies are secret as a whole. */
export function loggable({ method, headers, body }: Outgoing): LogFields {
  return {
    method,
    headers: Object.fromEntries(headers),
    body: body === undefined ? undefined : redacted(body),
  };
}

/** What may follow a redirect to another origin. */
export function withoutSecrets(request: Outgoing): Outgoing {
  return {
    ...request,
    // Who we are for the first origin is nobody else's business, and whom it trusts says nothing about others.
    tls: undefined,
    headers: new Map([...request.headers].filter(([, value]) => !(value instanceof Redacted))),
  };
}

/** The same request as a GET; headers that described the body go with it. */
export function asGet(request: Outgoing): Outgoing {
  const headers = new Map([...request.headers].filter(([name]) => !name.startsWith("content-")));
  return { ...request, method: "GET", headers, body: undefined };
}

function redacted(value: string | Redacted): Redacted {
  return value instanceof Redacted ? value : new Redacted(value);
}

/** Almost every header: a name that is a token (RFC 9110, section 5.6.2) and a value of printable ASCII. */
const PLAIN_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const PLAIN_VALUE = /^[\x20-\x7e]*$/;

function checkHeader(name: string, value: string | Redacted): void {
  // The engine's own check makes an object, and is for the others.
  if (PLAIN_NAME.test(name) && PLAIN_VALUE.test(reveal(value))) return;
  try {
    new Headers().set(name, reveal(value));
  } catch {
    throw new TypeError(
      `The header ${JSON.stringify(name)} or its value has characters that HTTP does not allow.`,
    );
  }
}
