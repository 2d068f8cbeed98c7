// Pages as HTML and as text for a terminal. The parser is Bun's; the pages are our own, so their HTML is trusted.
import { linkedPage, type Page, type Pages } from "./pages";

const LINK = /\[([^[\]]*)\]\(([^()\s]+)\)/g;
const FENCE = /^( *)```[^\n]*\n([^]*?)^ *```$/m;

/**
 * The body of a page as HTML. `address` makes the address of another page. Links to files that are not pages, such as sources,
 * become text: readers of the executable do not have them.
 */
export function pageHtml(pages: Pages, page: Page, address: (name: string) => string): string {
  const text = withLinks(page.text, (label, target) => {
    if (/^https?:/.test(target)) return `[${label}](${target})`;
    const found = linkedPage(pages, page, target);
    if (found === undefined) return label;
    const anchor = found.anchor === "" ? "" : `#${found.anchor}`;
    return `[${label}](${found.page === page ? anchor : address(found.page.name) + anchor})`;
  });
  return Bun.markdown.html(withoutFrontMatter(text), { headings: { ids: true } });
}

/** A page as Markdown whose links are the commands that show what they lead to. */
export function pageText(pages: Pages, page: Page): string {
  return withLinks(page.text, (label, target) => {
    if (/^https?:/.test(target)) return label === target ? target : `${label} (${target})`;
    const found = linkedPage(pages, page, target);
    if (found === undefined || found.page === page) return label;
    const command = `\`runtime help ${found.page.name}\``;
    return /^`?[\w/.-]+\.md`?$/.test(label) ? command : `${label} (${command})`;
  });
}

/** Markdown for a terminal of this width. Code is indented and not broken, so that it can be copied. */
export function terminalPage(text: string, columns: number): string {
  const rest = withoutFrontMatter(text);
  const parts: string[] = [];
  for (let left = rest; left !== "";) {
    const match = FENCE.exec(left);
    parts.push(prose(left.slice(0, match?.index), columns));
    if (match === null) break;
    parts.push(`${(match[2] ?? "").replaceAll(/^(?=.)/gm, "    ")}\n`);
    left = left.slice(match.index + match[0].length);
  }
  return parts.join("");
}

function prose(text: string, columns: number): string {
  if (text.trim() === "") return "";
  return `${Bun.markdown.ansi(text, { colors: false, columns }).trim()}\n\n`;
}

function withoutFrontMatter(text: string): string {
  return text.replace(/^---\n[^]*?\n---\n+/, "");
}

/** Rewrites the links of a text, not those in code blocks. */
function withLinks(text: string, rewrite: (label: string, target: string) => string): string {
  return text
    .split(/(^ *```[^]*?^ *```$)/m)
    .map((part, at) =>
      at % 2 === 1
        ? part
        : part.replaceAll(LINK, (_, label: string, target: string) => rewrite(label, target)),
    )
    .join("");
}
