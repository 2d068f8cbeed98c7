// Pages as HTML and as text for a terminal. The parser is Bun's; the pages are our own, so their HTML is trusted.
import { linkedPage, type Page, type Pages } from "./pages";

const LINK = /\[([^[\]]*)\]\(([^()\s]+)\)/g;

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
  return partsOf(withoutFrontMatter(text))
    .map(({ isCode, lines }) => (isCode ? indented(lines) : prose(lines.join("\n"), columns)))
    .join("");
}

/** Code without its fences. */
function indented(lines: readonly string[]): string {
  const code = lines.slice(1, -1).map((line) => (line === "" ? "" : `    ${line}`));
  return `${code.join("\n")}\n\n`;
}

interface Part {
  isCode: boolean;
  lines: string[];
}

/** Prose and code blocks with their fences, in their order; together all lines of the text. */
function partsOf(text: string): Part[] {
  let part: Part = { isCode: false, lines: [] };
  const parts = [part];
  for (const line of text.split("\n")) {
    const isFence = line.trimStart().startsWith("```");
    if (isFence && !part.isCode) parts.push((part = { isCode: true, lines: [line] }));
    else part.lines.push(line);
    if (isFence && part.lines.length > 1) parts.push((part = { isCode: false, lines: [] }));
  }
  return parts.filter(({ lines }) => lines.length > 0);
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
  return partsOf(text)
    .map(({ isCode, lines }) => {
      const part = lines.join("\n");
      if (isCode) return part;
      return part.replaceAll(LINK, (_, label: string, target: string) => rewrite(label, target));
    })
    .join("\n");
}
