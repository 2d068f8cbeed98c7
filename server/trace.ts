// The trace of a request (W3C Trace Context).

// Version ff is forbidden; versions above 00 may have more fields after the flags. An id of zeros is invalid.
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:$|-)/;

/** The trace id of a `traceparent` header; undefined when the header is invalid. */
export function traceIdOf(traceparent: string): string | undefined {
  return traceparent.length <= 512 ? TRACEPARENT.exec(traceparent)?.[1] : undefined;
}
