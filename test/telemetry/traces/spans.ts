// Spans for tests, written as one list of parts.
import { spanIdOf, traceIdOf } from "../../../src/telemetry/traces/ids";
import type { Attributes, FinishedSpan, Resource, SpanKind } from "../../../src/telemetry/traces/span";

export const RESOURCE: Resource = { attributes: { "service.name": "runtime" }, version: "1.2.3" };

export interface FlatSpan extends Partial<Omit<FinishedSpan, "context" | "description">> {
  name?: string;
  kind?: SpanKind;
  attributes?: Attributes;
  error?: string;
}

export function finished({
  name = "span",
  kind = 1,
  attributes = {},
  error,
  ...parts
}: FlatSpan = {}): FinishedSpan {
  return {
    context: {
      ...spanIdOf("b7ad6b7169203331"),
      trace: {
        id: traceIdOf("4bf92f3577b34da6a3ce929d0e0e4736"),
        isSampled: true,
        state: "rojo=00f067aa0ba902b7",
      },
    },
    parent: undefined,
    hasRemoteParent: false,
    description: { name, kind, attributes, error },
    own: undefined,
    startMs: 1_790_000_000_000.25,
    endMs: 1_790_000_000_001.5,
    events: [],
    link: undefined,
    ...parts,
  };
}
