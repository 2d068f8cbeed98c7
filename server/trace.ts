// `traceparent` (W3C Trace Context): who sends one gets it back and finds its trace id in the log.

// Version ff is forbidden; later versions than 00 may carry more after the flags. All zeros is no id.
const FORM = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:$|-)/;

/** The trace id of a header of the right form; undefined for any other. */
export function traceIdOf(traceparent: string): string | undefined {
  return traceparent.length <= 512 ? FORM.exec(traceparent)?.[1] : undefined;
}
