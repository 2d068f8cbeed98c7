// `runtime gateways`: addresses at which MCP clients find a set of tools.
import { AUTH_TYPE_NAMES } from "../../src/gateways/compat";
import type { GatewayRecord, PatchGateway, UpdateGateway } from "../../src/gateways";
import { type Client, withClient } from "../client/client";
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
import { type Common, given, type Line, type Noun, verb } from "../command";
import { EXIT, UsageError } from "../errors";
import { AUTH_NAMES, type GatewayFields, gatewayBody } from "../gateway-body";
import type { Io } from "../io";
import { CLIENT_NAMES, type ClientName, connect } from "../mcp-clients";
import { print, printDeleted, printList, printRecord, type Shape } from "../output";

const FIELDS = [
  { flag: "--slug <slug>", meaning: "public name in the address (default: made from the name)" },
  {
    flag: "--auth <way>",
    meaning: `how callers prove who they are: ${AUTH_NAMES.join(", ")} (default: api-key)`,
  },
  { flag: "--user-source <id>", meaning: "with --auth identity-provider: which of user_sources" },
  {
    flag: "--tool <name>",
    meaning: "a tool that it offers; may be repeated (default: all)",
    repeat: true as const,
  },
  { flag: "--toolkit <name>", meaning: "all tools of a toolkit; may be repeated", repeat: true as const },
  { flag: "--no-deprecated", meaning: "of those, none that are to go" },
  { flag: "--description <text>", meaning: "what it is for" },
  { flag: "--instructions <text>", meaning: "what MCP clients are told at the start" },
  { flag: "--status <status>", meaning: "active or inactive" },
];

export const gateways: Noun = {
  name: "gateways",
  summary: "addresses at which MCP clients find a set of tools",
  verbs: [
    verb({
      usage: "list",
      summary: "List the gateways of the project.",
      examples: ["runtime gateways list", "runtime gateways list -o name"],
      read: () => ({}),
      run: list,
    }),
    verb({
      usage: "show <gateway>",
      summary: "Show one gateway, by its slug or id.",
      examples: ["runtime gateways show support"],
      read: (line) => ({ gateway: line.word(0) }),
      run: show,
    }),
    verb({
      usage: "create <name>",
      summary: "Create a gateway.",
      examples: [
        "runtime gateways create Support --toolkit Chat --no-deprecated",
        "runtime gateways create Reports --slug reports --tool Sheets.GetSpreadsheet --auth user-token",
      ],
      flags: FIELDS,
      read: (line) => ({ name: line.word(0), fields: fieldsOf(line) }),
      run: create,
    }),
    verb({
      usage: "update <gateway>",
      summary: "Change what is given and leave the rest.",
      examples: ["runtime gateways update support --status inactive"],
      flags: [
        { flag: "--name <text>", meaning: "what people see of it" },
        { flag: "--all-tools", meaning: "offer all tools again" },
        ...FIELDS,
      ],
      read: (line) => ({
        gateway: line.word(0),
        name: line.text("name"),
        allTools: line.given("all-tools"),
        fields: fieldsOf(line),
      }),
      run: update,
    }),
    verb({
      usage: "delete <gateway>",
      summary: "Delete a gateway; its slug is free at once.",
      examples: ["runtime gateways delete support --yes"],
      flags: [{ flag: "-y, --yes", meaning: "do not ask" }],
      read: (line) => ({ gateway: line.word(0), yes: line.given("yes") }),
      run: remove,
    }),
    verb({
      usage: "slug <slug>",
      summary: "Ask whether a slug is free on the server. Exit code 5: it is taken.",
      examples: ["runtime gateways slug support"],
      read: (line) => ({ slug: line.word(0) }),
      run: slug,
    }),
    verb({
      usage: "connect <gateway>",
      summary:
        "Print the configuration of an MCP client for a gateway, or write it into the client's file. An API key never " +
        "stands in it: the client takes it from the environment.",
      examples: [
        "runtime gateways connect support --client cursor --user alice",
        "runtime gateways connect support --client vscode --user alice --write",
        "runtime gateways connect support --client claude-desktop --user alice",
      ],
      flags: [
        { flag: "--client <name>", meaning: `${CLIENT_NAMES.join(", ")} (default: json)` },
        { flag: "--user <user>", meaning: "the user to act for (default: the configured one)" },
        { flag: "--key-env <variable>", meaning: "variable with the API key (default: RUNTIME_API_KEY)" },
        { flag: "--stdio", meaning: "let the client start `runtime mcp` in place of calling the server" },
        { flag: "--write", meaning: "write it into the client's file and keep what else stands there" },
      ],
      read: (line) => ({
        gateway: line.word(0),
        client: line.choice("client", CLIENT_NAMES),
        user: line.text("user"),
        keyVariable: line.text("key-env"),
        stdio: line.given("stdio"),
        write: line.given("write"),
      }),
      run: connectClient,
    }),
  ],
};

const SHAPE: Shape<GatewayRecord> = {
  name: ({ slug: own }) => own,
  optional: ["description", "instructions", "user_source_id", "tool_filter"],
  columns: [
    { title: "slug", value: ({ slug: own }) => own },
    { title: "name", value: ({ name }) => name },
    { title: "tools", value: ({ tool_filter }) => tool_filter?.allowed_tools?.length.toString() ?? "all" },
    { title: "auth", value: ({ auth_type }) => AUTH_TYPE_NAMES[auth_type] },
    { title: "status", value: ({ status }) => status },
    { title: "id", value: ({ id }) => id },
  ],
};

function fieldsOf(line: Line): GatewayFields {
  return {
    slug: line.text("slug"),
    auth: line.choice("auth", AUTH_NAMES),
    userSource: line.text("user-source"),
    tools: line.texts("tool"),
    toolkits: line.texts("toolkit"),
    deprecated: line.given("deprecated"),
    description: line.text("description"),
    instructions: line.text("instructions"),
    status: line.choice("status", ["active", "inactive"]),
  };
}

async function list(io: Io, common: Common): Promise<void> {
  await withClient(io, common, async (client) => {
    const items: GatewayRecord[] = [];
    for (;;) {
      const found = await listGateways(client, { limit: 100, offset: items.length });
      items.push(...found.items);
      if (found.items.length === 0 || items.length >= found.total_count) break;
    }
    printList(io, common, items, SHAPE, "There are no gateways yet. Make one: runtime gateways create NAME");
  });
}

async function show(io: Io, common: Common, { gateway }: { gateway: string }): Promise<void> {
  await withClient(io, common, async (client) => {
    await printGateway(io, common, client, await findGateway(client, gateway));
  });
}

async function printGateway(io: Io, common: Common, client: Client, record: GatewayRecord): Promise<void> {
  const lines = SHAPE.columns.map(({ title, value }) => [title, value(record)] as const);
  const address = await gatewayAddress(client, record.slug);
  const tools = record.tool_filter?.allowed_tools?.join(", ");
  printRecord(io, common, record, SHAPE, [
    ["address", address],
    ...lines.map(([title, value]) => [title, title === "tools" ? (tools ?? "all") : value] as const),
    ["description", record.description],
  ]);
}

interface CreateOptions {
  name: string;
  fields: GatewayFields;
}

async function create(io: Io, common: Common, { name, fields }: CreateOptions): Promise<void> {
  await withClient(io, common, async (client) => {
    const body = await gatewayBody(client, { ...fields, auth: fields.auth ?? "api-key" });
    const record = await createGateway(client, { ...body, name });
    await printGateway(io, common, client, record);
    io.note(`Clients connect with: runtime gateways connect ${record.slug} --client NAME`);
  });
}

interface UpdateOptions {
  gateway: string;
  name: string | undefined;
  allTools: boolean;
  fields: GatewayFields;
}

async function update(
  io: Io,
  common: Common,
  { gateway, name, allTools, fields }: UpdateOptions,
): Promise<void> {
  if (allTools && (fields.tools ?? fields.toolkits) !== undefined)
    throw new UsageError("--all-tools excludes --tool and --toolkit.");
  await withClient(io, common, async (client) => {
    const patch: PatchGateway = { ...(await gatewayBody(client, fields)), ...given({ name }) };
    if (Object.keys(patch).length === 0 && !allTools)
      throw new UsageError("Nothing to change: give at least one flag.");
    const before = await findGateway(client, gateway);
    const after = allTools
      ? await replaceGateway(client, before.id, { ...withoutTools(before), ...patch })
      : await updateGateway(client, before.id, patch);
    await printGateway(io, common, client, after);
  });
}

// A patch cannot take a field away: the whole record is set, without its list of tools. What is not of an update (times,
// binding) is ignored there, as every unknown field is.
function withoutTools(record: GatewayRecord): UpdateGateway {
  const { allowed_tools: _tools, ...filter } = record.tool_filter ?? {};
  return { ...record, tool_filter: filter };
}

async function remove(
  io: Io,
  common: Common,
  { gateway, yes }: { gateway: string; yes: boolean },
): Promise<number> {
  if (!yes && !io.interactive)
    throw new UsageError("There is no terminal to ask at. To delete without asking: --yes.");
  return withClient(io, common, async (client) => {
    const { id, slug: own } = await findGateway(client, gateway);
    const question = `Delete the gateway ${own}? Clients that use it get 404.`;
    if (!yes && !(await io.prompts.confirm(question, false))) {
      printDeleted(io, common, id, false);
      io.note("Nothing was deleted.");
      return EXIT.error;
    }
    await deleteGateway(client, id);
    printDeleted(io, common, id);
    io.note(`The gateway ${own} is deleted.`);
    return EXIT.ok;
  });
}

async function slug(io: Io, common: Common, { slug: wanted }: { slug: string }): Promise<number> {
  return withClient(io, common, async (client) => {
    const { available } = await slugInfo(client, wanted);
    print(io, common.output, { slug: wanted, available }, () => `${available ? "free" : "taken"}\n`);
    return available ? EXIT.ok : EXIT.conflict;
  });
}

interface ConnectOptions {
  gateway: string;
  client: ClientName | undefined;
  user: string | undefined;
  keyVariable: string | undefined;
  stdio: boolean;
  write: boolean;
}

async function connectClient(io: Io, common: Common, options: ConnectOptions): Promise<void> {
  await withClient(io, common, async (client) => {
    const record = await findGateway(client, options.gateway);
    await connect(io, common, client, record, options);
  });
}
