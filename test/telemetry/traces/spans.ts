// Spans for tests.
import type { FinishedSpan, Resource } from "../../../src/telemetry/traces/span";

export const RESOURCE: Resource = { attributes: { "service.name": "runtime" }, version: "1.2.3" };

export function finished(parts: Partial<FinishedSpan> = {}): FinishedSpan {
  return {
    context: {
      traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
      spanId: "b7ad6b7169203331",
      isSampled: true,
      traceState: "rojo=00f067aa0ba902b7",
    },
    parentSpanId: undefined,
    hasRemoteParent: false,
    name: "span",
    kind: 1,
    startMs: 1_790_000_000_000.25,
    endMs: 1_790_000_000_001.5,
    attributes: {},
    events: [],
    link: undefined,
    error: undefined,
    ...parts,
  };
}
