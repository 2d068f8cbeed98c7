// How the client half reaches a server: one function, so that the same code runs with and without a user's token.
import type { Redacted } from "../../base";

export interface ClientRequest {
  method: "POST" | "GET" | "DELETE";
  headers: Readonly<Record<string, string | Redacted>>;
  body?: string;
  signal?: AbortSignal | undefined;
  /** For the head of the response and for each part of its body. */
  timeoutMs: number;
  streams: true;
}

/** Sends a request to the one address of a server. Rejects with what the outbound client throws. */
export type Send = (request: ClientRequest) => Promise<Response>;

export const JSON_TYPE = "application/json";
export const EVENT_TYPE = "text/event-stream";

/** The media type of a response, without its parameters. */
export function mediaTypeOf(response: Response): string {
  return (response.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}
