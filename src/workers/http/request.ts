// The body of a call: what the tool declares, and nothing else of the user, the project and its secrets.
import { type Json, Redacted } from "../../base";
import type { ToolContext } from "../../tools";
import type { LoadedWorker, WorkerTool } from "../tool";

export interface Call {
  worker: LoadedWorker;
  tool: WorkerTool;
  input: object;
  context: ToolContext;
}

/** Whether the user's token goes with the call. */
export function sendsToken({ worker, tool, context }: Call): boolean {
  return tool.authorization !== undefined && worker.sendTokens && context.grant !== undefined;
}

/** `token`: of the user, if it goes with the call. */
export function bodyOf(call: Call, token: Redacted | undefined): Redacted {
  const { worker, tool, input, context } = call;
  const { name = worker.toolkit, version } = tool.toolkit ?? {};
  return new Redacted(
    JSON.stringify({
      run_id: context.call.id,
      execution_id: context.call.executionId,
      created_at: new Date(context.now()).toISOString(),
      tool: { name: tool.upstream, toolkit: name, ...(version === undefined ? {} : { version }) },
      inputs: input,
      context: {
        ...(token === undefined ? {} : { authorization: authorizationOf(call, token) }),
        ...pairs("secrets", secretsOf(call)),
        ...pairs("metadata", metadataOf(call)),
        user_id: context.call.userId,
      },
    }),
  );
}

/** The facts are what the provider told about the user. */
function authorizationOf({ context }: Call, token: Redacted): Json {
  return { token: token.reveal(), user_info: context.grant?.facts ?? {} };
}

type Pair = readonly [key: string, value: string | undefined];

export function secretsOf({ tool, context }: Call): Pair[] {
  return (tool.secrets ?? []).map((key) => [key, context.secrets[key]]);
}

function metadataOf({ tool, context }: Call): Pair[] {
  const known: Readonly<Record<string, string | undefined>> = {
    client_id: context.provider?.clientId,
    coordinator_url: context.publicUrl,
  };
  return (tool.sendsMetadata ?? []).map((key) => [key, known[key]]);
}

function pairs(field: string, given: readonly Pair[]): { [field: string]: Json } {
  const items = given.flatMap(([key, value]) => (value === undefined ? [] : [{ key, value }]));
  return items.length === 0 ? {} : { [field]: items };
}
