// An outgoing request, and its form in the log. Secrets stay `Redacted` until it is sent.
import { type LogFields, Redacted, reveal } from "../base";
import type { Target } from "./target";
import type { EgressRequest, TlsOptions } from "./types";

export interface Outgoing {
  method: NonNullable<EgressRequest["method"]>;
  /** Names in lower case. */
  headers: ReadonlyMap<string, string | Redacted>;
  body: string | Redacted | Uint8Array<ArrayBuffer> | undefined;
  tls?: TlsOptions | undefined;
  fence?: EgressRequest["fence"];
}

/** A request and its target; a redirect leads to the next step. */
export interface Step {
  target: Target;
  outgoing: Outgoing;
  /** The project that it is for; undefined: the deployment. */
  project: string | undefined;
}

/** Set by pinning and by Bun. A caller's `content-length` could be used for request smuggling. */
const CONNECTION_HEADERS = new Set([
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

/** The place in a trace is for the target that the setting names. */
const ONE_ORIGIN = new Set(["traceparent", "tracestate"]);

/** Headers that are secret even if a caller passes plain text. */
const SECRET = new Set(["authorization", "cookie", "proxy-authorization"]);

/**
 * Checks a request before anything is resolved or sent, and omits connection headers. Throws `TypeError` (a mistake of
 * the caller) for a header that is not valid in HTTP and for a GET or HEAD with a body; the message does not repeat values.
 */
export function outgoing(request: EgressRequest): Outgoing {
  const { method = "GET", bytes, body = bytes, tls, fence } = request;
  if (body !== undefined && (method === "GET" || method === "HEAD")) {
    throw new TypeError(`A ${method} request cannot have a body.`);
  }
  const headers = new Map<string, string | Redacted>();
  for (const [name, value] of Object.entries(request.headers ?? {})) {
    const key = name.toLowerCase();
    if (CONNECTION_HEADERS.has(key)) continue;
    checkHeader(key, value);
    headers.set(key, SECRET.has(key) ? redacted(value) : value);
  }
  return { method, headers, body, tls, fence };
}

/** Whether the request has a header, a body or a key that only some origins may see. */
export function hasSecrets({ headers, body, tls }: Outgoing): boolean {
  if (body instanceof Redacted || tls?.cert !== undefined || tls?.key !== undefined) return true;
  return headers.values().some((value) => value instanceof Redacted);
}

/** The headers to send: the only place where secrets become text. */
export function revealHeaders(headers: Outgoing["headers"]): Headers {
  const revealed = new Headers();
  for (const [name, value] of headers) revealed.set(name, reveal(value));
  return revealed;
}

/** The body to send. */
export function revealBody(body: NonNullable<Outgoing["body"]>): string | Uint8Array<ArrayBuffer> {
  return body instanceof Uint8Array ? body : reveal(body);
}

/** For the log. Bodies are always secret. */
export function loggable({ method, headers, body }: Outgoing): LogFields {
  return {
    method,
    headers: Object.fromEntries(headers),
    body: body === undefined ? undefined : redacted(body instanceof Uint8Array ? "" : body),
  };
}

/** The request for a redirect to another origin. */
export function withoutSecrets(request: Outgoing): Outgoing {
  return {
    ...request,
    // The client certificate and the trusted authority are for the first origin only.
    tls: undefined,
    headers: new Map(
      [...request.headers].filter(([name, value]) => !(value instanceof Redacted || ONE_ORIGIN.has(name))),
    ),
  };
}

/** The same request as a GET, without the body and the headers that describe it. */
export function asGet(request: Outgoing): Outgoing {
  const headers = new Map([...request.headers].filter(([name]) => !name.startsWith("content-")));
  return { ...request, method: "GET", headers, body: undefined };
}

function redacted(value: string | Redacted): Redacted {
  return value instanceof Redacted ? value : new Redacted(value);
}

/** Nearly all headers: the name is a token (RFC 9110, section 5.6.2), the value printable ASCII. */
const PLAIN_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const PLAIN_VALUE = /^[\x20-\x7e]*$/;

function checkHeader(name: string, value: string | Redacted): void {
  // The check below allocates, so it is only used for unusual headers.
  if (PLAIN_NAME.test(name) && PLAIN_VALUE.test(reveal(value))) return;
  try {
    new Headers().set(name, reveal(value));
  } catch {
    throw new TypeError(
      `The header ${JSON.stringify(name)} or its value has characters that HTTP does not allow.`,
    );
  }
}
