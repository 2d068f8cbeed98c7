// What a turn says that ends because a consent is missing: for clients that do not know `tool_authorizations`.
import type { Authorization } from "../../authorization";

/** Empty if no consent is missing. */
export function consentNotice(authorizations: readonly Authorization[]): string {
  if (authorizations.length === 0) return "";
  const urls = authorizations.flatMap(({ url }) => (url === undefined ? [] : [url]));
  const where = urls.length === 1 ? `Open ${urls.join("")} to give it` : `Give it at ${urls.join(" and ")}`;
  const how = urls.length === 0 ? "Give it" : where;
  return `Your consent is needed before the tools can run. ${how}, then send the request again.`;
}

/** What the model said, and the notice as a paragraph of its own. */
export function withNotice(text: string, notice: string): string {
  return [text, notice].filter((part) => part !== "").join("\n\n");
}
