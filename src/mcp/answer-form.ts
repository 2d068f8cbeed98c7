// How the outcome of a run is told to the client: each kind of request has its own form.
import type { JsonObject } from "../base";
import type { Execution, ServerAnswer } from "../tools";
import type { ConsentPage } from "./consent";
import type { ResultFields } from "./result";

/** What client and revision can take. */
export interface Reader {
  /** Revision 2026-07-28. */
  modern: boolean;
  /** Revision 2025-03-26 does not know links to resources. */
  readsLinks: boolean;
  /** Whether the client opens addresses that an error asks for (revision 2025-11-25). */
  opensUrls: boolean;
  /** The client takes a text that is JSON for structured content, and refuses it if it breaks the output schema. */
  parsesTexts: boolean;
  /** What the client has declared that it can do, in revision 2026-07-28. */
  declared: JsonObject;
}

export interface AnswerForm {
  /** Whether the result may be a request for input (revision 2026-07-28). */
  readonly mayAsk: boolean;
  /** `answered`: what an MCP server has answered, if no hook has judged it. Throws `RpcError`. */
  answer(execution: Execution, answered: ServerAnswer | undefined): ResultFields;
  /** A refusal that the model or the user reads. Throws `RpcError` if the form has no place for it. */
  text(text: string): ResultFields;
  /** A consent that the user must give first, for a client that cannot be asked. Throws `RpcError` as `text`. */
  consent(page: ConsentPage): ResultFields;
  /** The answer if this user has no such thing. Throws `RpcError` if it is an error of the protocol. */
  missing(): ResultFields;
}
