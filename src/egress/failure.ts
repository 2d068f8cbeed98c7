// Converts the errors of Bun's `fetch` into `EgressError`, by their codes (as of Bun 1.4.5).
import type { Proxy } from "./proxy";
import { EgressError } from "./types";

export interface FailureContext {
  /** Scheme, host and port. */
  origin: string;
  proxy: Proxy | undefined;
  /** Why this side ended the exchange, if it did. */
  ended: "timeout" | "aborted" | undefined;
  /** Connecting has started. Whether a connection was established before the timeout is unknown. */
  started: boolean;
  /** The head of the response was received, so the request arrived. */
  answered: boolean;
  /** For timeouts: the limit, and advice on how to avoid it. */
  timeoutMs: number;
  timeoutAdvice: string;
}

/** Codes of attempts that did not establish a connection. */
const NOT_CONNECTED = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EHOSTDOWN",
  "ENETDOWN",
  "EADDRNOTAVAIL",
]);

/** Failed certificate checks. They happen before anything is sent. */
const CERTIFICATE =
  /^(ERR_TLS_CERT|CERT_|CRL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|UNTRUSTED|INVALID_(CA|PURPOSE)$|HOSTNAME_MISMATCH|PATH_LENGTH)/;
/** A failed handshake, or a connection that broke after it: the codes are the same. */
const TLS = /^(ERR_TLS|ERR_SSL|EPROTO$)/;

/** Whether nothing was sent, so that another address of the host may be tried. */
export function neverConnected(thrown: unknown): boolean {
  return NOT_CONNECTED.has(codeOf(thrown));
}

/**
 * The error for the caller. Bun's error is not stored as the cause: its message and `path` contain the whole address,
 * including the query.
 */
export function egressError(thrown: unknown, at: FailureContext): EgressError {
  if (thrown instanceof EgressError) return thrown;
  const code = codeOf(thrown);
  const cause = new Error(code);
  const fail = (reason: EgressError["reason"], message: string, maybeSent: boolean): EgressError =>
    new EgressError(reason, message, { maybeSent: maybeSent || at.answered, cause });

  if (at.ended === "aborted") return fail("aborted", `The request to ${at.origin} was aborted.`, at.started);
  if (at.ended === "timeout") {
    const seconds = at.timeoutMs / 1000;
    return fail(
      "timeout",
      `${at.origin} did not answer within ${seconds} s. ${at.timeoutAdvice}`,
      at.started,
    );
  }
  if (at.proxy !== undefined && !at.answered) {
    const unreached = proxyFailure(code, at.proxy, at.origin);
    if (unreached !== undefined) return fail("unreachable", unreached, false);
  }
  if (CERTIFICATE.test(code)) return fail("tls", certificateMessage(code, at.origin), false);
  if (TLS.test(code)) return fail("tls", tlsMessage(at.origin), true);
  if (NOT_CONNECTED.has(code)) {
    return fail(
      "unreachable",
      `No connection to ${at.origin} (${code}). Check the address, and that a server is running there.`,
      false,
    );
  }
  return fail("unreachable", brokenMessage(code, at.origin), true);
}

function proxyFailure(code: string, { name }: Proxy, origin: string): string | undefined {
  if (code === "ERR_PROXY_TUNNEL") {
    return `The proxy ${name} refuses to connect to ${origin}. Check its rules and the user in HTTPS_PROXY.`;
  }
  if (!NOT_CONNECTED.has(code) && code !== "ENOTFOUND") return undefined;
  return `No connection to the proxy ${name} (${code}). Check HTTPS_PROXY and HTTP_PROXY, or put the host in NO_PROXY.`;
}

function tlsMessage(origin: string): string {
  return (
    `TLS with ${origin} failed. Check that the port uses TLS and does not require a client certificate, and that no ` +
    "proxy in between intercepts the connection."
  );
}

function certificateMessage(code: string, origin: string): string {
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID" || code === "HOSTNAME_MISMATCH") {
    return `The TLS certificate of ${origin} is for another name. Use the host name in the certificate.`;
  }
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID") {
    return `The TLS certificate of ${origin} is not valid at this time (${code}). Check the certificate and the clock of this machine.`;
  }
  return (
    `The TLS certificate of ${origin} is not trusted (${code}). ` +
    `For a private certificate authority, set egress.ca_file (RUNTIME_EGRESS_CA_FILE) to the file with its certificate.`
  );
}

function brokenMessage(code: string, origin: string): string {
  if (code === "ECONNRESET")
    return `${origin} closed the connection before its answer was complete. Try again later.`;
  if (code === "ZlibError" || code.endsWith("Decompression")) {
    return `The answer of ${origin} cannot be decompressed (${code}).`;
  }
  return `The answer of ${origin} cannot be read (${code}). Check that it is an HTTP server.`;
}

function codeOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return "unknown";
  return "code" in thrown && typeof thrown.code === "string" ? thrown.code : thrown.name;
}
