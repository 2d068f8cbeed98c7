// A deployment whose traces arrive at a receiver.
import { hooked, type Hooked } from "../../hooks/hooked";
import { type ModelServer, say, startModelServer } from "../../sandbox/models/chat-server";
import { type ReceivedSpan, type Receiver, type ReceiverOptions, startReceiver } from "./receiver";

export interface Traced extends AsyncDisposable {
  stage: Hooked;
  receiver: Receiver;
  model: ModelServer;
  /** The spans of a trace, once such a one has arrived. */
  traceWith(name: string): Promise<ReceivedSpan[]>;
}

export interface TracedOptions {
  environment?: Record<string, string>;
  receiver?: ReceiverOptions;
}

/** With the model server `m`, whose only wish is one call of `Test.Call`. */
export async function startTraced(options: TracedOptions = {}): Promise<Traced> {
  const receiver = startReceiver(options.receiver);
  const model = await startModelServer((request, reply) => {
    const last = request.messages.at(-1);
    if (last?.role === "tool") return say(request, reply, { content: "done" });
    say(request, reply, { calls: [{ id: "call_42", name: "Test_Call", arguments: '{"path":"asked"}' }] });
  });
  const stage = await hooked({
    environment: {
      RUNTIME_MODELS: JSON.stringify([{ id: "m", models: ["big-model"], openai: { base_url: model.url } }]),
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      RUNTIME_TELEMETRY_OTLP_DELAY_MS: "10",
      ...options.environment,
    },
  });
  return {
    stage,
    receiver,
    model,
    traceWith: async (name) => {
      await receiver.until((spans) => spans.some((span) => span.name === name));
      const found = receiver.spans.find((span) => span.name === name);
      return receiver.spans.filter(({ traceId }) => traceId === found?.traceId);
    },
    [Symbol.asyncDispose]: async () => {
      await stage[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
      receiver[Symbol.dispose]();
    },
  };
}

/** The spans as a tree: each line has its parents before it, and children are in the order of their beginnings. */
export function treeOf(spans: readonly ReceivedSpan[]): string[] {
  const lines: string[] = [];
  const add = (span: ReceivedSpan, depth: number): void => {
    lines.push(`${"  ".repeat(depth)}${span.name}`);
    for (const child of inOrder(spans.filter(({ parentSpanId }) => parentSpanId === span.spanId)))
      add(child, depth + 1);
  };
  const ids = new Set(spans.map(({ spanId }) => spanId));
  for (const root of inOrder(spans.filter(({ parentSpanId }) => !ids.has(parentSpanId ?? "")))) add(root, 0);
  return lines;
}

function inOrder(spans: readonly ReceivedSpan[]): ReceivedSpan[] {
  return spans.toSorted((one, other) => Number(one.startNs - other.startNs));
}
