// Makes docs/standards.md from the ledger: numbers for each standard, and where we differ.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { chapters } from "./chapters";
import type { Chapter, Row } from "./ledger";

export const PAGE = join(import.meta.dir, "../../docs/standards.md");

const INTRODUCTION = `# Standards

Statements of the standards that apply to the server, the gateways, the OAuth client and the webhooks. The tests make a request for each of them (\`test/standards\`) and check the answer, those of HTTP/1.1 as bytes on a socket. This page is made from them: \`bun test/standards/document.ts\`.`;

const OUTSIDE = `## What the HTTP engine decides

Some requests never reach our code, because the engine (Bun) answers them itself:

- A request line in absolute form: the engine drops the host in it and uses \`Host\`. A proxy in front must not forward such a line.
- \`OPTIONS *\`, a request without \`Host\`, obsolete line folding, a bad chunk or two different lengths: 400 without a body.
- A method that it does not know: the connection is closed without an answer.
- An HTTP version other than 1.x: 505.`;

export function document(all: readonly Chapter[]): string {
  const rows = all.flatMap((chapter) => chapter.rows);
  const differing = rows.filter(differs).length;
  const total = `**${rows.length} statements, ${rows.length - differing} as the standard says, ${differing} different on purpose.**`;
  return `${[INTRODUCTION, total, overview(all), differences(all), OUTSIDE, ...all.map(section)].join("\n\n")}\n`;
}

function differs({ differs: reason }: Row): boolean {
  return reason !== undefined;
}

function overview(all: readonly Chapter[]): string {
  const lines = all.map(({ id, title, url, rows }) => [
    `[${id}](${url})`,
    title,
    String(rows.length),
    String(rows.filter(differs).length),
  ]);
  return table(["Standard", "Title", "Statements", "Different"], lines);
}

function differences(all: readonly Chapter[]): string {
  const lines = all.flatMap(({ id, rows }) =>
    rows
      .filter(differs)
      .map(({ section: place, level, says, differs: reason = "" }) => [
        id,
        place,
        `${level}: ${says}`,
        reason,
      ]),
  );
  return `## Where we differ\n\n${table(["Standard", "Section", "Statement", "What we do, and why"], lines)}`;
}

function section({ id, title, rows }: Chapter): string {
  const lines = rows.map(({ section: place, level, says, differs: reason }) => [
    place,
    level,
    says,
    reason === undefined ? "yes" : "no",
  ]);
  return `## ${id}: ${title}\n\n${table(["Section", "Level", "Statement", "Holds"], lines)}`;
}

/** Padded as the formatter does. */
function table(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const cells = [head, ...lines].map((line) => line.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = head.map((_, column) =>
    Math.max(3, ...cells.map((line) => Bun.stringWidth(line[column] ?? ""))),
  );
  const row = (line: readonly string[]): string =>
    `| ${widths.map((width, column) => padded(line[column] ?? "", width)).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  const [first = [], ...rest] = cells;
  return [row(first), rule, ...rest.map(row)].join("\n");
}

function padded(text: string, width: number): string {
  return text + " ".repeat(width - Bun.stringWidth(text));
}

if (import.meta.main) writeFileSync(PAGE, document(chapters));
