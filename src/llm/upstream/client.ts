// A server of a model as the loop sees it: chat completions in, chat completions out, whatever it speaks itself.
import type { CallOptions } from "./call";

/** A message of a conversation, in the form of chat completions. */
export type ChatMessage = { role: string; content?: unknown; [field: string]: unknown };

/** A request in the form of chat completions, tools as function objects. */
export interface ChatBody {
  model: string;
  messages: readonly ChatMessage[];
  [field: string]: unknown;
}

/** JSON of a server, looked at field by field. */
export type Loose = { [field: string]: unknown };

export interface ModelClient {
  /** A `chat.completion`. Throws what the caller is to be told. */
  whole(body: ChatBody, options: CallOptions): Promise<Loose>;
  /**
   * The `chat.completion.chunk`s of a stream that ended well. Throws what the caller is to be told: also when it breaks
   * off, or ends too early.
   */
  stream(body: ChatBody, options: CallOptions): AsyncGenerator<Loose, void>;
}
