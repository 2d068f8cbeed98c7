// Names of the pages that `runtime help` has beside those of the commands.
export const TOPICS = ["exit-codes", "environment", "formatting", "config"] as const;
export type Topic = (typeof TOPICS)[number];
