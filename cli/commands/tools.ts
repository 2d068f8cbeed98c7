// `runtime tools`: which tools there are, what they take, and running one.
import type { ToolRecord } from "../../src/tools";
import { type Client, withClient } from "../client/client";
import { authorizeTool, getTool, listTools } from "../client/tools";
import { type Common, given, type Noun, verb } from "../command";
import type { Io } from "../io";
import { printList, printRecord, type Shape } from "../output";
import type { Column } from "../table";
import { runTool } from "../tool-run";
import { userOf } from "../user";
import { printAuthorization } from "./auth";

const USER = { flag: "--user <user>", meaning: "the user to act for (default: the configured one)" };

export const tools: Noun = {
  name: "tools",
  summary: "list, show, run",
  verbs: [
    verb({
      usage: "list",
      summary: "List the tools; with --user also whether the user may run them already.",
      examples: ["runtime tools list", "runtime tools list --toolkit Chat --user alice"],
      flags: [
        { flag: "--toolkit <name>", meaning: "only the tools of this toolkit" },
        { flag: "--user <user>", meaning: "say what this user still owes" },
        { flag: "--all-versions", meaning: "all versions of each tool, not only the newest" },
        { flag: "--limit <n>", meaning: "how many (default: all)" },
        { flag: "--offset <n>", meaning: "how many to skip" },
      ],
      read: (line) => ({
        toolkit: line.text("toolkit"),
        user_id: line.text("user"),
        include_all_versions: line.given("all-versions") || undefined,
        limit: line.integer("limit", 1),
        offset: line.integer("offset", 0),
      }),
      run: list,
    }),
    verb({
      usage: "show <name>",
      summary: "Show one tool with its parameters.",
      examples: ["runtime tools show Chat.SendMessage"],
      flags: [{ flag: "--user <user>", meaning: "say what this user still owes" }],
      read: (line) => ({ name: line.word(0), user_id: line.text("user") }),
      run: show,
    }),
    verb({
      usage: "exec <name>",
      summary:
        "Run a tool for a user. Its parameters are flags (--channel_name or --channel-name), or --input with JSON; both " +
        "together are one input. At a terminal a consent that is owed is asked for first.",
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
        { flag: "--run-at <time>", meaning: "later: 2030-01-31T09:30:00, in UTC or with a zone" },
        { flag: "--no-browser", meaning: "print the address of a consent, open nothing" },
      ],
      open: true,
      read: (line) => ({
        name: line.word(0),
        user: line.text("user"),
        input: line.text("input"),
        runAt: line.text("run-at"),
        browser: line.given("browser"),
        parameters: line.rest,
      }),
      run: runTool,
    }),
    verb({
      usage: "authorize <name>",
      summary: "Start the consent for exactly the scopes of a tool and print the address to open.",
      examples: ["runtime tools authorize Chat.SendMessage --user alice"],
      flags: [USER, { flag: "--next-uri <address>", meaning: "where the browser goes at the end" }],
      read: (line) => ({ name: line.word(0), user: line.text("user"), nextUri: line.text("next-uri") }),
      run: authorize,
    }),
  ],
};

interface ListTools {
  toolkit: string | undefined;
  user_id: string | undefined;
  include_all_versions: true | undefined;
  limit: number | undefined;
  offset: number | undefined;
}

async function list(io: Io, common: Common, filter: ListTools): Promise<void> {
  await withClient(io, common, async (client) => {
    const name = filter.include_all_versions ? fullName : plainName;
    const columns: Column<ToolRecord>[] = [
      { title: "name", value: name },
      ...(filter.user_id === undefined ? [] : [{ title: "ready", value: readiness }]),
      { title: "description", value: ({ description }) => firstSentence(description) },
    ];
    const shape = { ...SHAPE, columns, name };
    printList(io, common, await pages(client, filter), shape, "There are no such tools.");
  });
}

function plainName({ qualified_name }: ToolRecord): string {
  return qualified_name;
}

function fullName({ fully_qualified_name }: ToolRecord): string {
  return fully_qualified_name;
}

const SHAPE: Shape<ToolRecord> = {
  name: plainName,
  optional: ["description", "deprecation_message", "requirements", "toolkit"],
  columns: [],
};

function firstSentence(text: string | undefined): string | undefined {
  return text === undefined ? undefined : (/^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text);
}

// The services answer a hundred at a time; a person or a pipe wants all of them.
async function pages(client: Client, { limit, offset = 0, ...filter }: ListTools): Promise<ToolRecord[]> {
  const records: ToolRecord[] = [];
  for (;;) {
    const left = limit === undefined ? 100 : Math.min(100, limit - records.length);
    const window = { limit: left, offset: offset + records.length };
    const { items, total_count } = await listTools(client, { ...given(filter), ...window });
    records.push(...items);
    if (items.length === 0 || offset + records.length >= total_count || records.length === limit)
      return records;
  }
}

function readiness({ requirements }: ToolRecord): string {
  if (requirements === undefined || requirements.met) return "yes";
  const { authorization, secrets = [] } = requirements;
  if (authorization?.status === "inactive") return "no provider";
  const missing = secrets.find(({ met }) => !met);
  return missing === undefined ? "needs consent" : `needs ${missing.key}`;
}

async function show(
  io: Io,
  common: Common,
  query: { name: string; user_id: string | undefined },
): Promise<void> {
  await withClient(io, common, async (client) => {
    const tool = await getTool(client, query.name, given({ user_id: query.user_id }));
    const { requirements } = tool;
    const state = query.user_id === undefined ? undefined : readiness(tool);
    printRecord(io, common, tool, SHAPE, [
      ["name", tool.fully_qualified_name],
      ["does", tool.description],
      ["deprecated", tool.deprecation_message],
      ["provider", requirements?.authorization?.provider_id],
      ["scopes", requirements?.authorization?.oauth2.scopes.join(" ")],
      ["secrets", requirements?.secrets?.map(({ key }) => key).join(" ")],
      ["ready", state],
    ]);
    if (common.output !== "table" || common.fields !== undefined || tool.input.parameters.length === 0)
      return;
    io.out("\n");
    printList(io, common, tool.input.parameters, PARAMETERS, "");
  });
}

const PARAMETERS: Shape<ToolRecord["input"]["parameters"][number]> = {
  name: ({ name }) => name,
  columns: [
    { title: "parameter", value: ({ name }) => `--${name}` },
    {
      title: "type",
      value: ({ value_schema: { val_type, inner_val_type } }) =>
        inner_val_type === undefined ? val_type : `${val_type} of ${inner_val_type}`,
    },
    { title: "needed", value: ({ required }) => (required ? "yes" : "") },
    {
      title: "meaning",
      value: ({ description, value_schema }) =>
        [description, value_schema.enum?.join(", ")].filter(Boolean).join(" One of: "),
    },
  ],
};

interface AuthorizeTool {
  name: string;
  user: string | undefined;
  nextUri: string | undefined;
}

async function authorize(io: Io, common: Common, { name, user, nextUri }: AuthorizeTool): Promise<void> {
  await withClient(io, common, async (client) => {
    const optional = given({ user_id: userOf(client, user), next_uri: nextUri });
    const authorization = await authorizeTool(client, { tool_name: name, ...optional });
    await printAuthorization(io, common, client, authorization);
  });
}
