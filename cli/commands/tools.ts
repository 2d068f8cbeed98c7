// `runtime tools`: list the tools, show their parameters, run them.
import { timestamp } from "../../src/base/clock";
import type { ToolRecord } from "../../src/tools";
import { type ClientCall, clientVerb, userOf } from "../client/client";
import { authorizeTool, getTool } from "../client/tools";
import { defined, type Line, verb } from "../command";
import { printList, printRecord, type Shape } from "../output";
import type { Column } from "../table";
import { futureTime } from "../times";
import { markOf, type ToolsQuery, toolsOf } from "../tool-lists";
import { runTool } from "../tool-run";
import { printAuthorization } from "./auth";

const USER = { flag: "--user <user>", meaning: "user to act for (default: the configured user)" };
const MISSING = { flag: "--user <user>", meaning: "show which requirements this user does not meet" };

const FILTER = [
  { flag: "--toolkit <name>", meaning: "only the tools of this toolkit; to see all: runtime toolkits list" },
  MISSING,
  { flag: "--no-deprecated", meaning: "leave out deprecated tools" },
];

const SHAPE: Shape<ToolRecord> = {
  name: ({ qualified_name }) => qualified_name,
  optional: ["description", "deprecation_message", "requirements", "toolkit"],
  columns: [],
};

export const verbs = [
  clientVerb({
    usage: "list",
    summary: "List the tools; with --user also whether the user can run them now.",
    examples: ["runtime tools list", "runtime tools list --toolkit Chat --user alice"],
    flags: [
      ...FILTER,
      { flag: "--all-versions", meaning: "all versions of each tool, not only the newest" },
      { flag: "--limit <n>", meaning: "how many to show (default: all)" },
      { flag: "--offset <n>", meaning: "how many to skip" },
    ],
    read: (line) => ({
      ...filterOf(line),
      versions: line.has("all-versions"),
      limit: line.integer("limit", 1),
      offset: line.integer("offset", 0),
    }),
    run: async ({ io, common, client }, { versions, limit, offset, ...filter }) => {
      const query = versions ? { ...filter, include_all_versions: true } : filter;
      const records = await toolsOf(client, query, { limit, offset });
      const name = (tool: ToolRecord): string => (versions ? tool.fully_qualified_name : tool.qualified_name);
      printList(io, common, records, shapeOf(filter, name), "No such tools.");
    },
  }),
  clientVerb({
    usage: "search <words...>",
    summary: "Find tools by words in their names, descriptions and parameters, the best match first.",
    examples: ["runtime tools search send message", "runtime tools search calendar --no-deprecated -o name"],
    flags: [...FILTER, { flag: "--limit <n>", meaning: "how many to show (default: 20)" }],
    read: (line) => ({
      ...filterOf(line),
      words: [line.word(0), ...line.rest].join(" "),
      limit: line.integer("limit", 1) ?? 20,
    }),
    run: async ({ io, common, client }, { words, limit, ...filter }) => {
      const found = await toolsOf(client, { ...filter, query: words }, { limit: undefined });
      const shape = shapeOf(filter, ({ qualified_name }) => qualified_name);
      const empty = "No tool matches these words. To see all tools: runtime tools list";
      printList(io, common, found.slice(0, limit), shape, empty);
      if (found.length > limit) io.note(`${limit} of ${found.length}. More with --limit ${found.length}`);
    },
  }),
  clientVerb({
    usage: "show <name>",
    summary: "Show one tool with its parameters.",
    examples: ["runtime tools show Chat.SendMessage"],
    flags: [MISSING],
    read: (line) => ({ name: line.word(0), user_id: line.text("user") }),
    run: show,
  }),
  verb({
    usage: "exec <name>",
    summary:
      "Run a tool for a user. Its parameters are flags (--channel_name or --channel-name), or --input with JSON; both " +
      "together form one input. At a terminal, a missing consent is requested first.",
    examples: [
      "runtime tools exec Chat.WhoAmI --user alice",
      "runtime tools exec Chat.SendMessage --user alice --channel-name general --message 'Hello'",
      `runtime tools exec Chat.SendMessage --input '{"channel_name":"general","message":"Hello"}' -o json`,
      "runtime tools exec Chat.SendMessage --input message.json",
      "runtime tools exec Chat.SendMessage --input message.json --run-at 2030-01-31T09:30:00+01:00",
    ],
    flags: [
      USER,
      { flag: "--input <json>", meaning: "the input: JSON, a file with it, or - for standard input" },
      {
        flag: "--run-at <time>",
        meaning: "schedule the run: a time in the future, with its time zone",
      },
      { flag: "--dry-run", meaning: "say what the run would do, and do nothing" },
      { flag: "--no-browser", meaning: "print the address of a consent and open no browser" },
    ],
    open: true,
    read: (line) => ({
      name: line.word(0),
      user: line.text("user"),
      input: line.text("input"),
      runAt: runAtOf(line),
      dryRun: line.has("dry-run"),
      browser: line.has("browser"),
      parameters: line.rest,
    }),
    run: runTool,
  }),
  clientVerb({
    usage: "authorize <name>",
    summary: "Start the consent for exactly the scopes of a tool and print the address to open.",
    examples: ["runtime tools authorize Chat.SendMessage --user alice"],
    flags: [USER, { flag: "--next-uri <address>", meaning: "address to which the browser goes at the end" }],
    read: (line) => ({ name: line.word(0), user: line.text("user"), nextUri: line.text("next-uri") }),
    run: async (call, { name, user, nextUri }) => {
      const optional = defined({ user_id: userOf(call.client, user), next_uri: nextUri });
      await printAuthorization(call, await authorizeTool(call.client, { tool_name: name, ...optional }));
    },
  }),
];

function runAtOf(line: Line): string | undefined {
  const text = line.text("run-at");
  if (text === undefined) return undefined;
  return timestamp(futureTime(text, "--run-at", Date.now()));
}

function filterOf(line: Line): ToolsQuery {
  const filter = defined({ toolkit: line.text("toolkit"), user_id: line.text("user") });
  return { ...filter, deprecated: line.has("deprecated") };
}

/** The columns of a list; readiness is that of a user. */
function shapeOf({ user_id }: ToolsQuery, name: (tool: ToolRecord) => string): Shape<ToolRecord> {
  const columns: Column<ToolRecord>[] = [
    { title: "name", keep: "always", value: name },
    { title: "ready", keep: "whole", value: readiness },
    { title: "note", keep: "whole", value: markOf },
    { title: "description", value: ({ description }) => firstSentence(description) },
  ];
  return {
    ...SHAPE,
    name,
    columns: columns.filter(({ title }) => title !== "ready" || user_id !== undefined),
  };
}

function firstSentence(text: string | undefined): string | undefined {
  return text === undefined ? undefined : (/^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text);
}

function readiness({ requirements }: ToolRecord): string {
  if (requirements === undefined || requirements.met) return "yes";
  const { authorization, secrets = [] } = requirements;
  if (authorization?.status === "inactive") return "no provider";
  const missing = secrets.find(({ met }) => !met);
  return missing === undefined ? "needs consent" : `needs ${missing.key}`;
}

async function show(
  { io, common, client }: ClientCall,
  { name, user_id }: { name: string; user_id: string | undefined },
): Promise<void> {
  const tool = await getTool(client, name, defined({ user_id }));
  const { requirements } = tool;
  printRecord(io, common, tool, {
    ...SHAPE,
    lines: () => [
      ["name", tool.fully_qualified_name],
      ["does", tool.description],
      ["deprecated", tool.deprecation_message],
      ["provider", requirements?.authorization?.provider_id],
      ["scopes", requirements?.authorization?.oauth2.scopes.join(" ")],
      ["secrets", requirements?.secrets?.map(({ key }) => key).join(" ")],
      ["ready", user_id === undefined ? undefined : readiness(tool)],
    ],
  });
  if (common.output !== "table" || common.fields !== undefined || tool.input.parameters.length === 0) return;
  io.out("\n");
  printList(io, common, tool.input.parameters, PARAMETERS, "");
}

const PARAMETERS: Shape<ToolRecord["input"]["parameters"][number]> = {
  name: ({ name }) => name,
  columns: [
    { title: "parameter", keep: "always", value: ({ name }) => `--${name}` },
    {
      title: "type",
      value: ({ value_schema: { val_type, inner_val_type } }) =>
        inner_val_type === undefined ? val_type : `${val_type} of ${inner_val_type}`,
    },
    { title: "needed", keep: "whole", value: ({ required }) => (required ? "yes" : "") },
    {
      title: "meaning",
      wraps: true,
      value: ({ description, value_schema }) =>
        [description, value_schema.enum?.join(", ")].filter(Boolean).join(" One of: "),
    },
  ],
};
