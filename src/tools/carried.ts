// An answer of an MCP server that clients of gateways get as it is; everybody else gets the value.
import type { Json, JsonObject } from "../base";

/** What an MCP server answered to a request: its result, or its error. */
export type ServerAnswer = { result: JsonObject } | { error: { code: number; message: string; data?: Json } };

/** The output of a run with the result as the server sent it. Hooks that replace the output also replace the result. */
export class Carried {
  readonly value: unknown;
  readonly original: JsonObject;

  constructor(value: unknown, original: JsonObject) {
    this.value = value;
    this.original = original;
  }
}
