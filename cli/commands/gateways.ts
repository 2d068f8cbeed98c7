// `runtime gateways`: MCP addresses, each with a set of tools.
import type { GatewayRecord, PatchGateway, UpdateGateway } from "../../src/gateways";
import { GatewayResponse } from "../../src/gateways/schema";
import { AUTH_TYPE_NAMES, KEY_AND_USER, OWN_SOURCE, USER_TOKEN } from "../../src/gateways/compat";
import { type ClientCall, clientVerb } from "../client/client";
import {
  createGateway,
  deleteGateway,
  findGateway,
  gatewayAddress,
  listGateways,
  replaceGateway,
  slugInfo,
  updateGateway,
} from "../client/gateways";
import { defined, type Line, withDefaults } from "../command";
import { EXIT, UsageError } from "../errors";
import { AUTH_NAMES, type GatewayFields, gatewayBody } from "../gateway-body";
import { CLIENT_NAMES } from "../../src/gateways/client-formats";
import { printClientConfig } from "../mcp-clients";
import { columnLines, print, printRecord, type Shape } from "../output";
import type { Io } from "../io";
import { everyRecord } from "../pages";
import { printable } from "../printable";
import { deleteVerb, listVerb } from "../record-verbs";
import type { Column } from "../table";

const FIELDS = [
  { flag: "--slug <slug>", meaning: "public name in the address" },
  {
    flag: "--auth <method>",
    meaning: `how callers authenticate: ${AUTH_NAMES.join(", ")}`,
  },
  { flag: "--user-source <id>", meaning: "with --auth identity-provider: an id of user_sources" },
  {
    flag: "--tool <name>",
    meaning: "a tool of the gateway; may be repeated",
    repeat: true as const,
  },
  { flag: "--toolkit <name>", meaning: "all tools of a toolkit; may be repeated", repeat: true as const },
  { flag: "--no-deprecated", meaning: "exclude deprecated tools" },
  { flag: "--search", meaning: "clients search for tools instead of listing them all" },
  { flag: "--no-search", meaning: "clients list all tools" },
  {
    flag: "--pin <name>",
    meaning: "a tool that is listed although clients search; may be repeated",
    repeat: true as const,
  },
  {
    flag: "--group <name>",
    meaning: "with --auth user-token: only people of this group may use it; may be repeated",
    repeat: true as const,
  },
  { flag: "--description <text>", meaning: "what the gateway is for" },
  { flag: "--instructions <text>", meaning: "instructions for MCP clients" },
  { flag: "--status <status>", meaning: "active or inactive" },
];

const DEFAULTS = {
  "--slug <slug>": "derived from the name",
  "--auth <method>": "api-key",
  "--tool <name>": "all",
};

const COLUMNS: readonly Column<GatewayRecord>[] = [
  { title: "slug", keep: "always", value: ({ slug }) => slug },
  { title: "name", value: ({ name }) => name },
  {
    title: "tools",
    keep: "whole",
    value: ({ tool_filter }) => tool_filter?.allowed_tools?.length.toString() ?? "all",
  },
  { title: "auth", keep: "whole", value: ({ auth_type }) => AUTH_TYPE_NAMES[auth_type] },
  { title: "status", keep: "whole", value: ({ status }) => status },
  { title: "id", keep: "always", value: ({ id }) => id },
];

const SHAPE: Shape<GatewayRecord> = {
  name: ({ slug }) => slug,
  optional: [
    "description",
    "instructions",
    "user_source_id",
    "allowed_groups",
    "tool_filter",
    "unknown_tools",
  ],
  schema: GatewayResponse,
  columns: COLUMNS,
};

export const verbs = [
  listVerb({
    summary: "List the gateways of the project.",
    examples: ["runtime gateways list", "runtime gateways list -o name"],
    find: (client) => everyRecord((window) => listGateways(client, window)),
    after: noteUnknownTools,
    shape: SHAPE,
    empty: "There are no gateways yet. Create one: runtime gateways create NAME",
  }),
  clientVerb({
    usage: "show <gateway>",
    summary: "Show one gateway, by its slug or id.",
    examples: ["runtime gateways show support"],
    read: (line) => ({ gateway: line.word(0) }),
    run: async (call, { gateway }) => printGateway(call, await findGateway(call.client, gateway)),
  }),
  clientVerb({
    usage: "create <name>",
    summary: "Create a gateway.",
    examples: [
      "runtime gateways create Support --toolkit Chat --no-deprecated",
      "runtime gateways create Reports --slug reports --tool Sheets.GetSpreadsheet",
      "runtime gateways create Everything --search --pin Chat.SendMessage",
    ],
    flags: withDefaults(FIELDS, DEFAULTS),
    read: (line) => ({ name: line.word(0), fields: fieldsOf(line) }),
    run: async (call, { name, fields }) => {
      const body = await gatewayBody(call.client, { ...fields, auth: fields.auth ?? "api-key" });
      const record = await createGateway(call.client, { ...body, name });
      await printGateway(call, record);
      call.io.note(`To connect a client: runtime gateways connect ${record.slug} --client NAME`);
    },
  }),
  clientVerb({
    usage: "update <gateway>",
    summary: "Change the given fields; all others stay unchanged.",
    examples: ["runtime gateways update support --status inactive"],
    flags: [
      { flag: "--name <text>", meaning: "display name" },
      { flag: "--all-tools", meaning: "offer all tools again" },
      { flag: "--any-group", meaning: "let people of any group use it again" },
      ...FIELDS,
    ],
    read: (line) => {
      const [allTools, fields] = [line.has("all-tools"), fieldsOf(line)];
      if (allTools && (fields.tools ?? fields.toolkits) !== undefined)
        throw new UsageError("--all-tools excludes --tool and --toolkit.");
      const anyGroup = line.has("any-group");
      if (anyGroup && fields.groups !== undefined) throw new UsageError("--any-group excludes --group.");
      const groups = anyGroup ? [] : fields.groups;
      return { gateway: line.word(0), name: line.text("name"), allTools, fields: { ...fields, groups } };
    },
    run: update,
  }),
  deleteVerb({
    usage: "delete <gateway>",
    summary: "Delete a gateway. Its slug can be used again at once.",
    examples: ["runtime gateways delete support"],
    find: async (client, word) => {
      const { id, slug } = await findGateway(client, word);
      return {
        id,
        name: slug,
        question: `Delete the gateway ${slug}? Clients that use it get 404.`,
        done: `The gateway ${slug} is deleted.`,
      };
    },
    remove: deleteGateway,
  }),
  clientVerb({
    usage: "slug <slug>",
    summary: "Check whether a slug is available on the server. Exits 5 if it is taken.",
    examples: ["runtime gateways slug sales"],
    read: (line) => ({ slug: line.word(0) }),
    run: async ({ io, common, client }, { slug }) => {
      const { available } = await slugInfo(client, slug);
      print(io, common.output, { slug, available }, () => `${available ? "free" : "taken"}\n`);
      return available ? EXIT.ok : EXIT.conflict;
    },
  }),
  clientVerb({
    usage: "connect <gateway>",
    summary:
      "Print the configuration of an MCP client for a gateway, or write it into the client's file, where comments " +
      "and other entries stay. It never contains " +
      "an API key: the client takes the key from the environment.",
    examples: [
      "runtime gateways connect support --client cursor --user alice",
      "runtime gateways connect support --client vscode --user alice --write",
      "runtime gateways connect support --client claude-desktop --user alice",
    ],
    flags: [
      { flag: "--client <name>", meaning: `${CLIENT_NAMES.join(", ")} (default: json)` },
      { flag: "--user <user>", meaning: "user to act for (default: the configured user)" },
      { flag: "--key-env <variable>", meaning: "variable with the API key (default: RUNTIME_API_KEY)" },
      { flag: "--stdio", meaning: "the client starts `runtime mcp` instead of calling the server" },
      { flag: "--write", meaning: "add it to the client's file" },
    ],
    read: (line) => ({
      gateway: line.word(0),
      client: line.choice("client", CLIENT_NAMES),
      user: line.text("user"),
      keyVariable: line.text("key-env"),
      stdio: line.has("stdio"),
      write: line.has("write"),
    }),
    run: async (call, { gateway, ...flags }) =>
      printClientConfig(call, await findGateway(call.client, gateway), flags),
  }),
];

function fieldsOf(line: Line): GatewayFields {
  return {
    slug: line.text("slug"),
    auth: line.choice("auth", AUTH_NAMES),
    userSource: line.text("user-source"),
    tools: line.texts("tool"),
    toolkits: line.texts("toolkit"),
    search: line.toggle("search"),
    pinned: line.texts("pin"),
    deprecated: line.has("deprecated"),
    groups: line.texts("group"),
    description: line.text("description"),
    instructions: line.text("instructions"),
    status: line.choice("status", ["active", "inactive"]),
  };
}

async function printGateway({ io, common, client }: ClientCall, record: GatewayRecord): Promise<void> {
  const address = await gatewayAddress(client, record.slug);
  const tools = record.tool_filter?.allowed_tools?.join(", ") ?? "all";
  const lines = columnLines(COLUMNS, record).map(([title, value]) =>
    title === "tools" ? ([title, tools] as const) : ([title, value] as const),
  );
  printRecord(io, common, record, {
    ...SHAPE,
    lines: () => [
      ["address", address],
      ["clients", CLIENTS_DO[record.auth_type]],
      ...lines,
      ["search", searchOf(record)],
      ["description", record.description],
    ],
  });
  noteUnknownTools(io, [record]);
}

/** What a client must do at a gateway. */
const CLIENTS_DO: Readonly<Record<GatewayRecord["auth_type"], string>> = {
  [KEY_AND_USER]: "send an API key (Authorization: Bearer KEY) and their user (X-User-ID)",
  [USER_TOKEN]: "need only the address: they send their user to a browser to sign in",
  [OWN_SOURCE]: "need only the address: they send their user to your identity provider to sign in",
};

function searchOf({ tool_filter: { discovery } = {} }: GatewayRecord): string | undefined {
  if (discovery?.enabled !== true) return undefined;
  const pinned = discovery.pinned_asset_keys ?? [];
  return pinned.length === 0 ? "yes" : `yes, but lists ${pinned.join(", ")}`;
}

function noteUnknownTools(io: Io, records: readonly GatewayRecord[]): void {
  for (const { slug, unknown_tools = [] } of records)
    for (const { name, message } of unknown_tools)
      io.note(`warning: gateway ${slug}: ${printable(`${name} ${message}`)}`);
}

interface UpdateOptions {
  gateway: string;
  name: string | undefined;
  allTools: boolean;
  fields: GatewayFields;
}

async function update(call: ClientCall, { gateway, name, allTools, fields }: UpdateOptions): Promise<void> {
  const { client } = call;
  const patch: PatchGateway = { ...(await gatewayBody(client, fields)), ...defined({ name }) };
  if (Object.keys(patch).length === 0 && !allTools)
    throw new UsageError("Nothing to change. Use at least one flag.");
  const before = await findGateway(client, gateway);
  const after = allTools
    ? await replaceGateway(client, before.id, withAllTools(before, patch))
    : await updateGateway(client, before.id, patch);
  await printGateway(call, after);
}

// A patch cannot remove a field, so the whole record is replaced without its list of tools. The other fields of a record
// (times, binding) are ignored, like every unknown field.
function withAllTools(record: GatewayRecord, patch: PatchGateway): UpdateGateway {
  const { allowed_tools: _tools, ...filter } = record.tool_filter ?? {};
  const changes = patch.tool_filter ?? {};
  const discovery = { ...filter.discovery, ...changes.discovery };
  const known = Object.keys(discovery).length === 0 ? {} : { discovery };
  return { ...record, ...patch, tool_filter: { ...filter, ...changes, ...known } };
}
