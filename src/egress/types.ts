// What callers of the outbound client see.
import type { Abortable, Redacted } from "../base";

/** PEM. Of one request only: a connection with a client certificate is not shared with requests without it. */
export interface TlsOptions {
  /** Trusted in place of the usual authorities. */
  ca?: string | undefined;
  /** The client certificate with its chain, and its key (mutual TLS). */
  cert?: Redacted | undefined;
  key?: Redacted | undefined;
}

/**
 * A request to the outside. Header and body values that hold secrets come as `Redacted` and are logged as such.
 * Headers of the connection itself (`Host`, `Content-Length`, ...) are left out: they are not the caller's.
 */
export interface EgressRequest {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD";
  headers?: Readonly<Record<string, string | Redacted>>;
  body?: string | Redacted;
  tls?: TlsOptions | undefined;
  /** Aborts the request; the error is then `EgressError` with reason `aborted`. */
  signal?: Abortable | undefined;
  /** Time for the whole exchange, body included. Default: setting `egress.timeout`. */
  timeoutMs?: number;
  /** Largest body after decompression. Default: setting `egress.max_bytes`. */
  maxBytes?: number;
  /**
   * `follow` rechecks every hop (at most five) against the address policy; secret headers and bodies go to the first
   * origin only. Default `refuse`: a 3xx answer with `Location` is the error `redirect_refused`.
   */
  redirects?: "follow" | "refuse";
  /**
   * The answer is there with its head, and its body comes as it arrives. Then `timeoutMs` limits the wait for the head
   * and every silence after it, `maxBytes` counts while the body is read, and reading it rejects with `EgressError`.
   * The caller reads the body to its end or cancels it.
   */
  streams?: true;
}

/** Why an outbound request failed. */
export type EgressCause =
  /** The address policy refuses the target; the message names the setting that would allow it. */
  | "address_refused"
  /** The name does not resolve. */
  | "not_resolved"
  /** No connection, or it broke. */
  | "unreachable"
  /** Certificate or handshake. */
  | "tls"
  | "timeout"
  | "too_large"
  | "redirect_refused"
  | "aborted";

export class EgressError extends Error {
  override readonly name = "EgressError";
  readonly reason: EgressCause;
  /** Whether the request may have reached the other side: then a write's outcome is unknown. */
  readonly maybeSent: boolean;

  constructor(cause: EgressCause, message: string, options: { maybeSent: boolean; cause?: unknown }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.reason = cause;
    this.maybeSent = options.maybeSent;
  }
}

/** The one way out. */
export interface Egress {
  /**
   * Sends one request and reads the whole answer (unless it `streams`), within the limits of time and size.
   * Throws `EgressError`; an answer of any other status is not an error. Throws `TypeError` for a header that HTTP
   * cannot carry and for a GET or HEAD with a body.
   */
  fetch(url: string | URL, request?: EgressRequest): Promise<Response>;
}
