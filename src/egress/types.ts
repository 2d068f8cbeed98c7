// The interface of the outbound client.
import type { Abortable, Redacted } from "../base";
import type { HostGroup } from "../telemetry";

/** PEM, for one request: a connection with a client certificate is not shared with other requests. */
export interface TlsOptions {
  /** Trusted instead of the default authorities. */
  ca?: string | undefined;
  /** The client certificate with its chain, and its key (mutual TLS). */
  cert?: Redacted | undefined;
  key?: Redacted | undefined;
}

/**
 * An outbound request. Header and body values that contain secrets are `Redacted`, and logged as such.
 * Connection headers (`Host`, `Content-Length`, ...) are omitted: callers cannot set them.
 */
export interface EgressRequest {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD";
  headers?: Readonly<Record<string, string | Redacted>>;
  /** The whole address, if it contains a secret. It must be at the origin of the given one, which logs have in its place. */
  address?: Redacted | undefined;
  body?: string | Redacted;
  /** A body that is not text. */
  bytes?: Uint8Array<ArrayBuffer>;
  tls?: TlsOptions | undefined;
  /**
   * The project that the request is for; absent: the deployment. Projects share the places for requests, and
   * entries of `egress.allow` can be for one project.
   */
  project?: string | undefined;
  /** What the target is, for metrics: a group, or the toolkit whose tool runs. Default: `other`. */
  group?: HostGroup | { toolkit: string; isWorker?: boolean };
  /**
   * The origins that the secrets of this request were given for. A request to another origin is refused. Required for a
   * request with a secret header, a secret body or a client certificate; secrets in the query need it as well.
   */
  secretsFor?: readonly string[];
  /** Aborts the request, which then fails with the reason `aborted`. */
  signal?: Abortable | undefined;
  /**
   * Called when the address is known, just before a connection is opened. If it rejects, nothing is sent, and the call rejects
   * with its error.
   */
  fence?: (() => Promise<void>) | undefined;
  /** Time for the whole exchange, body included. Default: setting `egress.timeout`. */
  timeoutMs?: number;
  /** Largest body after decompression. Default: setting `egress.max_bytes`. */
  maxBytes?: number;
  /**
   * Disposed of by the caller when it no longer needs the body: until then, a large one counts towards
   * `egress.max_total_bytes`. Default: when the call has resolved.
   */
  holder?: DisposableStack | undefined;
  /**
   * `follow` checks every hop (at most five) against the address policy; secret headers and bodies are only sent to the
   * first origin, and no hop leads from https to http. Default `refuse`: a 3xx response with `Location` is the error `redirect_refused`.
   */
  redirects?: "follow" | "refuse";
  /**
   * Resolves with the head of the response and streams the body. `timeoutMs` then limits the wait for the head and for
   * each chunk, `maxBytes` applies while the body is read, and reading it rejects with `EgressError`. The caller must
   * read the body to its end or cancel it.
   */
  streams?: true;
}

/** Why an outbound request failed. */
export type EgressCause =
  /** Refused by the address policy; the message names the setting that would allow the target. */
  | "address_refused"
  /** The host name cannot be resolved. */
  | "not_resolved"
  /** No connection, or a broken one. */
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
  /** Whether the request may have reached the server: the outcome of a write is then unknown. */
  readonly maybeSent: boolean;

  constructor(cause: EgressCause, message: string, options: { maybeSent: boolean; cause?: unknown }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.reason = cause;
    this.maybeSent = options.maybeSent;
  }
}

export function addressRefused(message: string): EgressError {
  return new EgressError("address_refused", message, { maybeSent: false });
}

/** The outbound client. */
export interface Egress {
  /**
   * Sends one request and reads the whole response (unless it `streams`), within the limits of time and size.
   * Throws `EgressError`; an error status is not an error. Throws `TypeError` for a header that is not valid in HTTP and
   * for a GET or HEAD with a body.
   */
  fetch(url: string | URL, request?: EgressRequest): Promise<Response>;
  /** Requests that are running, and that wait for a place. Absent: unknown. */
  load?(): { running: number; waiting: number };
}
