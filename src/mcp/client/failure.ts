// Why a server could not be asked, besides the failures of the outbound client.
import type { Json } from "../../base";

/** A JSON-RPC error of the server, with its code and data for clients. */
export class ServerError extends Error {
  override readonly name = "ServerError";
  readonly code: number;
  readonly data: Json | undefined;
  /** Of the HTTP response. */
  readonly status: number;

  constructor(code: number, message: string, { data, status }: { data: Json | undefined; status: number }) {
    super(message);
    this.code = code;
    this.data = data;
    this.status = status;
  }
}

/** An HTTP status without a JSON-RPC message. */
export class StatusError extends Error {
  override readonly name = "StatusError";
  readonly status: number;
  readonly headers: Headers;
  /** The beginning of the body, to look for words in it. Not for messages: it may contain anything. */
  readonly excerpt: string;

  constructor(status: number, headers: Headers, excerpt: string) {
    super(`The server answered ${status} without a JSON-RPC message.`);
    this.status = status;
    this.headers = headers;
    this.excerpt = excerpt;
  }
}

/** An answer that breaks the protocol. The request may have been performed. */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
}

/** The answer broke off, or ended, before the reply. The request may have been performed. */
export class BrokenAnswer extends ProtocolError {}

/** The server did not finish in time. The request may have been performed. */
export class ServerTimeout extends Error {
  override readonly name = "ServerTimeout";
}
