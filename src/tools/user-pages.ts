// Pages of tools for one user, as text. Users with the same grants share a page. Its key contains everything that the page is
// made of, so no invalidation is needed.
import { JsonText } from "../base";
import { recordText } from "./record-text";
import type { Tool } from "./registry";
import type { RequirementsRecord } from "./schema";

/** Number of cached pages; one of a hundred tools has about 200 kB, its key a tenth of that. */
const MAX_PAGES = 20;

const identities = new WeakMap<Tool, string>();
let lastIdentity = 0;

/** Tools of workers in two projects may have the same name. */
function identityOf(tool: Tool): string {
  if (tool.catalog.worker === undefined) return tool.fullyQualifiedName;
  const known = identities.get(tool) ?? `#${++lastIdentity}`;
  identities.set(tool, known);
  return known;
}

export class UserPages {
  readonly #pages = new Map<string, JsonText>();

  /** `around`: the fields of the page without its items. */
  page(tools: readonly Tool[], requirements: readonly RequirementsRecord[], around: object): JsonText {
    const needs = requirements.map((each) => JSON.stringify(each));
    const rest = JSON.stringify(around);
    // JSON on one line contains no line break.
    const key = [rest, ...tools.map((tool, index) => `${identityOf(tool)}\n${needs[index]}`)].join("\n");
    const known = this.#pages.get(key);
    if (known !== undefined) return known;
    const items = tools.map((tool, index) => recordText(tool, needs[index] ?? ""));
    const page = new JsonText(`{"items":[${items.join(",")}],${rest.slice(1)}`, "shared");
    if (this.#pages.size >= MAX_PAGES) this.#pages.clear();
    this.#pages.set(key, page);
    return page;
  }
}
