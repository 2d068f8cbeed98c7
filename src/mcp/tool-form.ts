// The outcome of tools/call.
import type { Log } from "../base";
import type { Execution, ServerAnswer, Tool } from "../tools";
import type { AnswerForm, Reader } from "./answer-form";
import { consentText } from "./consent";
import { INVALID_PARAMS, RpcError } from "./json-rpc";
import { callResult, errorText, type ResultFields } from "./result";
import { passedError } from "./upstream/passed-error";
import { passedResult, type Shown } from "./upstream/passed-result";

export interface ToolFormOptions {
  tool: Tool;
  reader: Reader;
  maxBytes: number;
  log: Log;
  /** For results of MCP servers. */
  shown: Shown;
}

export function toolForm({ tool, reader, maxBytes, log, shown }: ToolFormOptions): AnswerForm {
  const options = { modern: reader.modern, maxBytes, log };
  return {
    mayAsk: true,
    answer: (execution: Execution, answered: ServerAnswer | undefined): ResultFields => {
      if (answered !== undefined && "result" in answered)
        return passedResult(answered.result, tool, options, shown);
      const error = answered === undefined ? undefined : passedError(answered.error, reader, maxBytes);
      if (error !== undefined) throw error;
      return callResult(execution, tool, options);
    },
    text: errorText,
    consent: (page) => consentText(page, reader),
    missing: () => {
      throw notOffered();
    },
  };
}

export function notOffered(): RpcError {
  return new RpcError(INVALID_PARAMS, "tool not found");
}
