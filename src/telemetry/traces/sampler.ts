// Which traces are exported. All systems that use the same share decide the same for a trace, because its id decides.
import type { TraceId } from "./ids";
import type { Trace } from "./span";

export interface Sampling {
  /** Setting `telemetry.sample`: 0 to 1. */
  share: number;
  /** Setting `telemetry.sample_by_parent`. */
  followsParent: boolean;
}

/** `parent`: the trace as the caller sends it. */
export function isSampled(
  { share, followsParent }: Sampling,
  [, , third, fourth]: TraceId,
  parent: Trace | undefined,
): boolean {
  if (followsParent && parent !== undefined) return parent.isSampled;
  if (share >= 1) return true;
  // The last 56 bits are the random ones (W3C Trace Context, level 2); 52 of them fit into a number.
  return (third & 0xfffff) * 2 ** 32 + (fourth >>> 0) < share * 2 ** 52;
}
