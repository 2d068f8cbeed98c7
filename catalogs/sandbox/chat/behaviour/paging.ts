// How the platform pages listings of several types.

export interface PagingRule {
  readonly method: string;
  /** Of the items of a page that were read, the share that a listing of several types keeps. */
  readonly mixedShare: number;
  readonly source: string;
}

/**
 * The platform cuts a page first and leaves out what was not asked for, or not visible, afterwards: a listing of several
 * types takes about 400 calls where one of each type takes 11.
 */
export const PAGING: readonly PagingRule[] = [
  {
    method: "conversations.list",
    mixedShare: 0.025,
    source:
      "dust-tt/dust#8775, slackapi/python-slack-sdk#1043 and #1074, emacs-slack/emacs-slack#622: list each type by itself",
  },
];

/** The largest page of a listing with these types. */
export function mixedLimit(method: string, types: number, limit: number): number {
  const rule = PAGING.find((each) => each.method === method);
  if (rule === undefined || types < 2) return limit;
  return Math.max(1, Math.floor(limit * rule.mixedShare));
}
