// `traceparent` and `tracestate` (W3C Trace Context, level 1).
import { hexOfSpan, hexOfTrace, spanIdOf, traceIdOf } from "./ids";
import type { SpanContext } from "./span";

// Version ff is forbidden; versions above 00 may have more fields after the flags. An id of zeros is invalid.
const TRACEPARENT = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:$|-)/;
const LONGEST = 512;
/** Systems that pass it on must carry at least 512 characters (section 3.3.1.5); longer ones are left out. */
const LONGEST_STATE = 512;
const STATE = /^[\x20-\x7e]*$/;

/** The context of a caller; undefined if `traceparent` is not valid. A `tracestate` that is not valid is left out. */
export function parseTraceparent(
  traceparent: string,
  traceState: string | null | undefined,
): SpanContext | undefined {
  if (traceparent.length > LONGEST) return undefined;
  const [, version, traceId, spanId, flags] = TRACEPARENT.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  // Version 00 has exactly four fields.
  if (version === "00" && traceparent.length !== 55) return undefined;
  const state = traceState ?? "";
  return {
    ...spanIdOf(spanId),
    trace: {
      id: traceIdOf(traceId),
      isSampled: (Number.parseInt(flags, 16) & 1) === 1,
      state: state.length <= LONGEST_STATE && STATE.test(state) ? state : "",
    },
  };
}

export function formatTraceparent(context: SpanContext): string {
  const { id, isSampled } = context.trace;
  return `00-${hexOfTrace(id)}-${hexOfSpan(context)}-${isSampled ? "01" : "00"}`;
}
