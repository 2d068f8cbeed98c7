// What Bun's `fetch` throws, told apart by its codes (tried with Bun 1.4.5), as `EgressError`.
import type { Proxy } from "./proxy";
import { EgressError } from "./types";

export interface Circumstances {
  /** Scheme, host and port. */
  origin: string;
  proxy: Proxy | undefined;
  /** What ended the exchange, if not the other side. */
  ended: "timeout" | "aborted" | undefined;
  /** A connection was asked for; from outside nobody sees whether it came about before time was up. */
  started: boolean;
  /** The head of the answer is here: whatever fails now, the request did arrive. */
  answered: boolean;
  /** For timeouts: the limit, and what to do about it. */
  timeoutMs: number;
  timeoutAdvice: string;
}

/** Codes of attempts in which no connection came about. */
const NOT_CONNECTED = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EHOSTDOWN",
  "ENETDOWN",
  "EADDRNOTAVAIL",
]);

/** The checks of a certificate, which stand before everything that is sent. */
const CERTIFICATE =
  /^(ERR_TLS_CERT|CERT_|CRL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|UNTRUSTED|INVALID_(CA|PURPOSE)$|HOSTNAME_MISMATCH|PATH_LENGTH)/;
/** The handshake, or a connection that broke after it: the codes are the same. */
const TLS = /^(ERR_TLS|ERR_SSL|EPROTO$)/;

/** Whether another address of the same name may be tried: nothing was sent. */
export function neverConnected(thrown: unknown): boolean {
  return NOT_CONNECTED.has(codeOf(thrown));
}

/**
 * The error for the caller. Bun's own is not kept as the cause: its message and `path` hold the whole address, query
 * included.
 */
export function egressError(thrown: unknown, at: Circumstances): EgressError {
  if (thrown instanceof EgressError) return thrown;
  const code = codeOf(thrown);
  const cause = new Error(code);
  const fail = (reason: EgressError["reason"], message: string, maybeSent: boolean): EgressError =>
    new EgressError(reason, message, { maybeSent: maybeSent || at.answered, cause });

  if (at.ended === "aborted") return fail("aborted", `The request to ${at.origin} was given up.`, at.started);
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
      `No connection to ${at.origin} (${code}). Check the address, and that something listens there.`,
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
    `TLS with ${origin} failed. Check that the port speaks TLS and asks for no client certificate, and that nothing ` +
    "between here and there breaks into the connection."
  );
}

function certificateMessage(code: string, origin: string): string {
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID" || code === "HOSTNAME_MISMATCH") {
    return `The TLS certificate of ${origin} is for another name. Use the name that it is for.`;
  }
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID") {
    return `The TLS certificate of ${origin} is not valid at this time (${code}). Check it and the clock of this machine.`;
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
  return `${origin} gave no answer that can be read (${code}). Check that it is an HTTP server.`;
}

function codeOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return "unknown";
  return "code" in thrown && typeof thrown.code === "string" ? thrown.code : thrown.name;
}
