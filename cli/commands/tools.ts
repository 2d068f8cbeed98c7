// `runtime tools`: list the tools, show their parameters, run them.
import type { ToolRecord } from "../../src/tools";
import { type ClientCall, clientVerb, userOf } from "../client/client";
import { authorizeTool, getTool, listTools } from "../client/tools";
import { defined, verb } from "../command";
import { printList, printRecord, type Shape } from "../output";
import { everyRecord } from "../pages";
import type { Column } from "../table";
import { runTool } from "../tool-run";
import { printAuthorization } from "./auth";

const USER = { flag: "--user <user>", meaning: "user to act for (default: the configured user)" };
const MISSING = { flag: "--user <user>", meaning: "show which requirements this user does not meet" };

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
      { flag: "--toolkit <name>", meaning: "only the tools of this toolkit" },
      MISSING,
      { flag: "--all-versions", meaning: "all versions of each tool, not only the newest" },
      { flag: "--limit <n>", meaning: "how many to show (default: all)" },
      { flag: "--offset <n>", meaning: "how many to skip" },
    ],
    read: (line) => ({
      toolkit: line.text("toolkit"),
      user_id: line.text("user"),
      include_all_versions: line.has("all-versions") || undefined,
      limit: line.integer("limit", 1),
      offset: line.integer("offset", 0),
    }),
    run: async ({ io, common, client }, { limit, offset, ...filter }) => {
      const name = (tool: ToolRecord): string =>
        filter.include_all_versions === true ? tool.fully_qualified_name : tool.qualified_name;
      const columns: Column<ToolRecord>[] = [
        { title: "name", value: name },
        ...(filter.user_id === undefined ? [] : [{ title: "ready", value: readiness }]),
        { title: "description", value: ({ description }) => firstSentence(description) },
      ];
      const records = await everyRecord((window) => listTools(client, { ...defined(filter), ...window }), {
        limit,
        offset,
      });
      printList(io, common, records, { ...SHAPE, columns, name }, "No such tools.");
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
        meaning: "schedule the run: 2030-01-31T09:30:00, in UTC or with a time zone",
      },
      { flag: "--no-browser", meaning: "print the address of a consent and open no browser" },
    ],
    open: true,
    read: (line) => ({
      name: line.word(0),
      user: line.text("user"),
      input: line.text("input"),
      runAt: line.text("run-at"),
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
