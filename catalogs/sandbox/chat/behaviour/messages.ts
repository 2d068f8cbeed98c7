// What the platform does with long messages.

export interface LengthRule {
  /** In characters. */
  readonly above: number;
  readonly effect: "split" | "truncated" | "refused";
  readonly source: string;
}

/** In characters. */
export const SPLIT_AT = 4000;

export const LENGTHS: readonly LengthRule[] = [
  {
    above: SPLIT_AT,
    effect: "split",
    source: "changelog 2018-04 (truncating really long messages), slack-go/slack#972, PostHog/posthog#70581",
  },
  {
    above: 40_000,
    effect: "truncated",
    source: "docs.slack.dev/reference/methods/chat.postMessage: warning message_truncated",
  },
  {
    above: 50_000,
    effect: "refused",
    source: "docs.slack.dev/reference/methods/chat.postMessage: msg_too_long",
  },
];

/** What happens to a message; undefined: it is posted as it is. */
export function effectOf(text: string): LengthRule["effect"] | undefined {
  const length = [...text].length;
  return LENGTHS.findLast(({ above }) => length > above)?.effect;
}
