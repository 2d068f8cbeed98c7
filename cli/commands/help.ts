// `runtime help`: the help for a command, and the pages of the documentation.
import type { Page, Pages } from "../../src/documentation";
import { type Common, verb } from "../command";
import { UsageError } from "../errors";
import type { Io } from "../io";
import { print, printList, type Shape } from "../output";
import { tableOf } from "../table";
import { TOPICS, topicText } from "../topics";

export const verbs = [
  verb({
    usage: "help [topic] [verb]",
    summary: `Show the help for a command, a page of the documentation, or one of ${TOPICS.join(", ")}. Without a topic: all commands and pages.`,
    examples: [
      "runtime help",
      "runtime help exit-codes",
      "runtime help tools exec",
      "runtime help operating",
    ],
    read: (line) => ({
      words: [line.optionalWord(0), line.optionalWord(1)].filter((word) => word !== undefined),
    }),
    run: show,
  }),
];

async function show(io: Io, common: Common, { words }: { words: string[] }): Promise<number | void> {
  const [first, second] = words;
  if (first === undefined) return overview(io, common);
  const topic = TOPICS.find((each) => each === first);
  if (topic !== undefined) {
    const text = await topicText(io, topic);
    return print(io, common.output, { topic, text }, () => text);
  }
  const { nouns } = await import("../nouns");
  const isCommand = nouns.some(({ name }) => name === first);
  if (isCommand && second !== undefined) return commandHelp(io, words);
  const { readPages } = await import("../../src/documentation");
  const pages = await readPages();
  const page = pages.get(first);
  if (page === undefined && isCommand) return commandHelp(io, words);
  if (page === undefined) {
    const { nearest } = await import("../../src/base/nearest");
    const near = nearest(first, [...nouns.map(({ name }) => name), ...TOPICS, ...pages.keys()]);
    const hint = near === undefined ? "To see all topics: runtime help" : `Did you mean ${near}?`;
    throw new UsageError(`No help on this topic. ${hint}`);
  }
  if (isCommand && common.output === "table") {
    const code = await commandHelp(io, words);
    if (code !== 0) return code;
    io.out("\n");
  }
  return printPage(io, common, pages, page);
}

async function commandHelp(io: Io, words: readonly string[]): Promise<number> {
  const { main } = await import("../program");
  return main([...words, "--help"], io);
}

async function printPage(io: Io, common: Common, pages: Pages, page: Page): Promise<void> {
  const { pageText, terminalPage } = await import("../../src/documentation");
  const text = pageText(pages, page);
  const { columns } = io;
  print(io, common.output, { topic: page.name, title: page.title, text }, () =>
    columns === undefined ? text : titled(io, terminalPage(text, columns)),
  );
}

/** The headings in bold: lines that are underlined. */
function titled(io: Io, text: string): string {
  return text.replaceAll(/^(\S.*)\n([=-])\2{2,}$/gm, (lines) =>
    lines
      .split("\n")
      .map((line) => io.paint.bold(line))
      .join("\n"),
  );
}

interface Entry {
  topic: string;
  /** For whom the page is. */
  reader: string;
  title: string;
  summary: string;
}

const ENTRIES: Shape<Entry> = {
  name: ({ topic }) => topic,
  columns: [
    { title: "topic", value: ({ topic }) => `  ${topic}`, keep: "always" },
    { title: "about", value: ({ summary }) => summary, wraps: true },
  ],
};

/** All commands, and all pages by reader. For programs: the pages. */
async function overview(io: Io, common: Common): Promise<number | void> {
  const { readPages, shelves } = await import("../../src/documentation");
  const entries = shelves(await readPages()).flatMap((shelf) =>
    shelf.entries.map(({ page, summary }): Entry => ({
      topic: page.name,
      reader: shelf.reader,
      title: page.title,
      summary,
    })),
  );
  if (common.output !== "table") return printList(io, common, entries, ENTRIES, "");
  const code = await commandHelp(io, []);
  if (code !== 0) return code;
  io.out(`\nPages of the documentation, and ${TOPICS.join(", ")}: runtime help TOPIC\n`);
  for (const reader of new Set(entries.map((entry) => entry.reader))) {
    const rows = entries.filter((entry) => entry.reader === reader);
    const options = { paint: io.paint, width: io.columns, headers: false };
    io.out(`\n${io.paint.bold(`${reader}:`)}\n${tableOf(rows, ENTRIES.columns, options)}`);
  }
}
