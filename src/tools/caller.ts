// The interface through which a run reports progress and asks the user, if the protocol supports it (MCP). Runs of scripts,
// schedules and models have no caller.
import type { Json, JsonObject } from "../base";
import type { ServerAnswer } from "./carried";
import { ToolError } from "./tool-error";

/** The client of a call. */
export interface Caller {
  /** The declared capabilities of the client: `elicitation`, `sampling`, `roots`. */
  readonly capabilities: JsonObject;
  /** Answers to the questions of earlier runs of this call, by key. */
  readonly answers: JsonObject;
  /** State from the previous run of this call; undefined in the first run. */
  readonly state: Json | undefined;
  /** Headers of the client's request that its gateway passes on, by lower-case name. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Reports progress. Values increase; without `total` the end is unknown. `message`: what is being done, for people. */
  progress(done: number, total?: number, message?: string): void;
  /** Called when the run ended because it needs this. */
  asks(need: InputNeeded): void;
  /**
   * Asks the client while the run goes on, and resolves with the answer of its user; absent if the client cannot be asked
   * before the run has ended. Rejects if it does not answer.
   */
  ask?(request: InputRequest): Promise<JsonObject>;
  /** Called with the answer of an MCP server, if no hook has judged or replaced the outcome. */
  answered?(answer: ServerAnswer): void;
}

/** One question in the form of MCP: `{ method: "elicitation/create", params: {…} }`. */
export interface InputRequest {
  method: "elicitation/create" | "sampling/createMessage" | "roots/list";
  params?: JsonObject;
}

/**
 * Ends a run that needs answers. The client gets them from its user and calls again; the next run finds them in
 * `caller.answers`, and `state` in `caller.state`. Must be thrown before anything is done upstream.
 */
export class InputNeeded extends ToolError {
  readonly requests: Readonly<Record<string, InputRequest>>;
  readonly state: Json | undefined;

  constructor(requests: Readonly<Record<string, InputRequest>>, state?: Json) {
    super(
      "TOOL_REQUIREMENTS_NOT_MET",
      false,
      "This tool must ask the user during the run, which this protocol does not support. Call it through a gateway with an MCP client of revision 2026-07-28.",
      { statusCode: 400 },
    );
    this.requests = requests;
    this.state = state;
  }
}
