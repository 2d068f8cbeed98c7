// The interface of model servers for the loop: chat completions, independent of the protocol of the server.
import type { CallOptions } from "./call";

/** A message in the form of chat completions. */
export type ChatMessage = { role: string; content?: unknown; [field: string]: unknown };

/** A request in the form of chat completions, tools as function objects. */
export interface ChatBody {
  model: string;
  messages: readonly ChatMessage[];
  [field: string]: unknown;
}

/** Unchecked JSON of a server. */
export type Loose = { [field: string]: unknown };

export interface ModelClient {
  /** A `chat.completion`. Throws the error for the caller. */
  whole(body: ChatBody, options: CallOptions): Promise<Loose>;
  /**
   * The `chat.completion.chunk`s of a stream. Throws the error for the caller, also if the stream breaks off or ends too
   * early.
   */
  stream(body: ChatBody, options: CallOptions): AsyncGenerator<Loose, void>;
}
