// Formatted tools as text. A registry and its tools do not change, so each tool and each page is serialized once.
import { JsonText, type Paging } from "../../base";
import { type Format, formatted } from "../formats";
import type { Registry, Tool } from "../registry";

/** Number of cached pages; one of a hundred tools has about 100 kB. */
const MAX_PAGES = 50;

export class FormattedPages {
  readonly #tools = new Map<Format, WeakMap<Tool, JsonText>>();
  readonly #pages = new WeakMap<Registry, Map<string, JsonText>>();

  tool(tool: Tool, format: Format): JsonText {
    const texts = this.#tools.get(format) ?? new WeakMap<Tool, JsonText>();
    this.#tools.set(format, texts);
    const text = texts.get(tool) ?? new JsonText(JSON.stringify(formatted(tool, format)));
    texts.set(tool, text);
    return text;
  }

  /** The page of these tools. `key` identifies format and query. */
  page(
    registry: Registry,
    key: string,
    format: Format,
    find: () => { found: readonly Tool[]; window: Paging },
  ): JsonText {
    const pages = this.#pages.get(registry) ?? new Map<string, JsonText>();
    this.#pages.set(registry, pages);
    const known = pages.get(key);
    if (known !== undefined) return known;
    const { found, window } = find();
    const shown = found.slice(window.offset, window.offset + window.limit);
    const items = shown.map((tool) => this.tool(tool, format).text).join(",");
    const rest = JSON.stringify({ total_count: found.length, ...window, page_count: shown.length });
    const page = new JsonText(`{"items":[${items}],${rest.slice(1)}`);
    if (pages.size >= MAX_PAGES) pages.clear();
    pages.set(key, page);
    return page;
  }
}
