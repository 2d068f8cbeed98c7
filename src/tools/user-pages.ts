// Pages of tools for one user, as text. Of users who have granted the same the same is to be said, so their pages are one
// text. It is found by everything that it is made of: nothing has to be forgotten when something changes.
import { JsonText } from "../base";
import { recordText } from "./record-text";
import type { Tool } from "./registry";
import type { RequirementsRecord } from "./schema";

/** Pages that are kept; one of a hundred tools is some 200 kB, and its key a tenth of it. */
const MOST_PAGES = 20;

export class UserPages {
  readonly #pages = new Map<string, JsonText>();

  /** `around`: the fields of the page beside its items. */
  page(tools: readonly Tool[], requirements: readonly RequirementsRecord[], around: object): JsonText {
    const needs = requirements.map((each) => JSON.stringify(each));
    const rest = JSON.stringify(around);
    // No line of it holds a line end.
    const key = [
      rest,
      ...tools.map(({ fullyQualifiedName }, index) => `${fullyQualifiedName}\n${needs[index]}`),
    ].join("\n");
    const known = this.#pages.get(key);
    if (known !== undefined) return known;
    const items = tools.map((tool, index) => recordText(tool, needs[index] ?? ""));
    const page = new JsonText(`{"items":[${items.join(",")}],${rest.slice(1)}`, "shared");
    if (this.#pages.size >= MOST_PAGES) this.#pages.clear();
    this.#pages.set(key, page);
    return page;
  }
}
