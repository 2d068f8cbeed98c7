// What takes the place of the kinds of workers and of the conversion of their tools where they are not built in.
import { Type, type TObject, type TSchema } from "typebox";
import type { ToolDefinition } from "../tools";
import type { WorkerKinds } from "./refresh";
import { WorkerFailure, type WorkerKind, type WorkerTool } from "./tool";

const unserved: WorkerKind = {
  read: () => Promise.reject(refusal()),
  probe: () => Promise.reject(refusal()),
  bases: () => ({}),
  run: () => () => Promise.reject(refusal()),
};

function refusal(): WorkerFailure {
  return new WorkerFailure("refused", "This version does not speak the protocol of this worker.");
}

export const unservedKinds: WorkerKinds = { http: unserved, mcp: unserved };

export function plainDefinition(tool: WorkerTool, run: ToolDefinition["run"]): ToolDefinition {
  const { name, description, metadata, authorization, secrets } = tool;
  return {
    name,
    description,
    metadata,
    input: { properties: {}, ...tool.input } as unknown as TObject,
    output: tool.output === undefined ? Type.Unknown() : (tool.output as TSchema),
    ...(authorization === undefined
      ? {}
      : {
          authorization: {
            provider: authorization.provider ?? authorization.id ?? "",
            scopes: authorization.scopes,
          },
        }),
    ...(secrets === undefined ? {} : { secrets }),
    run,
  };
}
