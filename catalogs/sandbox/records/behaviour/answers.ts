// Answers that differ between the platform's pages, with the source of each row.

/** Nothing matches the criteria: one code in version 2, another one in the list of the newer version; the status varies. */
export const NO_MATCH_ROWS = [
  {
    code: 3100,
    statuses: [404, 200],
    source: "https://www.zoho.com/creator/help/api/creator-error-codes.html",
  },
  {
    code: 9280,
    statuses: [404, 400, 200],
    source: "https://www.zoho.com/creator/help/api/v2.1/status-codes.html",
  },
] as const;

/** Records of one bulk job. https://zoho.com/creator/help/api/v2/bulk-api/limitations.html */
export const BULK_RECORDS = { default: 100_000, most: 200_000 } as const;

/**
 * A published component's address ends in its key, as in the links that people publish:
 * https://creatorapp.zohopublic.com/<owner>/<application>/report-perma/<report>/<key>
 */
export const PUBLISHED_PATHS = ["report-perma", "form-perma"] as const;
