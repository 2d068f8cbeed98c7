// What a run can tell and ask of whoever called, where the protocol lets it (MCP). A tool that was called by a script,
// a schedule or a model has no caller.
import type { Json, JsonObject } from "../base";
import { ToolError } from "./tool-error";

/** The far end of a call, made by the front that can speak back. */
export interface Caller {
  /** What the client says that it can do: `elicitation`, `sampling`, `roots`. */
  readonly capabilities: JsonObject;
  /** Answers to what earlier runs of this call asked, by key. */
  readonly answers: JsonObject;
  /** What the last run left for this one; undefined at first. */
  readonly state: Json | undefined;
  /** How far the run is. Values grow; without `total` nobody knows how far it goes. */
  progress(done: number, total?: number): void;
  /** The run ended because it needs this. */
  asks(need: InputNeeded): void;
}

/** One question, as MCP writes it: `{ method: "elicitation/create", params: {…} }`. */
export interface InputRequest {
  method: "elicitation/create" | "sampling/createMessage" | "roots/list";
  params?: JsonObject;
}

/**
 * Ends a run that cannot go on without answers. The client gets them from its user and calls again; that run finds them
 * in `caller.answers`, and `state` in `caller.state`. Thrown before anything is done upstream.
 */
export class InputNeeded extends ToolError {
  readonly requests: Readonly<Record<string, InputRequest>>;
  readonly state: Json | undefined;

  constructor(requests: Readonly<Record<string, InputRequest>>, state?: Json) {
    super(
      "TOOL_REQUIREMENTS_NOT_MET",
      false,
      "The tool asks the user something on the way, which this way of calling it cannot do: call it through a gateway, with an MCP client of revision 2026-07-28.",
      { statusCode: 400 },
    );
    this.requests = requests;
    this.state = state;
  }
}
