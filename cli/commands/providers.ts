// `runtime providers`: where users consent.
import { presets } from "../../catalogs/presets";
import type { AuthProvider } from "../../src/providers";
import { withClient } from "../client/client";
import { listConnections } from "../client/connections";
import {
  createProvider,
  deleteProvider,
  getProvider,
  listProviders,
  providerSetup,
  updateProvider,
} from "../client/providers";
import { type Common, type Line, type Noun, verb } from "../command";
import { EXIT, UsageError } from "../errors";
import type { Io } from "../io";
import { print, printDeleted, printList, printRecord, type Shape } from "../output";
import { printable } from "../printable";
import { bodyOf, type ProviderFields } from "../provider-body";

const FIELDS = [
  { flag: "--client-id <id>", meaning: "id of your OAuth client" },
  { flag: "--client-secret-stdin", meaning: "read the client's secret from standard input" },
  { flag: "--client-secret-file <file>", meaning: "read the client's secret from a file" },
  {
    flag: "--client-secret <->",
    meaning: "the same as --client-secret-stdin; a secret is never an argument",
  },
  { flag: "--description <text>", meaning: "what people see of it" },
  { flag: "--status <status>", meaning: "active or inactive" },
  { flag: "--file <file>", meaning: "the whole record as JSON, or - for standard input; flags win over it" },
];

export const providers: Noun = {
  name: "providers",
  summary: "auth providers: where users consent",
  verbs: [
    verb({
      usage: "list",
      summary: "List the auth providers of the project.",
      examples: ["runtime providers list"],
      read: () => ({}),
      run: list,
    }),
    verb({
      usage: "show <id>",
      summary: "Show one auth provider, with the redirect address to register there.",
      examples: ["runtime providers show slack", "runtime providers show slack -o json"],
      read: (line) => ({ id: line.word(0) }),
      run: show,
    }),
    verb({
      usage: "create [id]",
      summary: "Create an auth provider: a well-known one by its id, any other from a file.",
      examples: [
        "runtime providers create slack --provider slack --client-id 123.456 --client-secret-stdin < secret",
        "runtime providers create --file provider.json",
      ],
      flags: [
        {
          flag: "--provider <id>",
          meaning: `well-known provider whose endpoints are preset: ${presets.map(({ id }) => id).join(", ")}`,
        },
        ...FIELDS,
        { flag: "--external-id <id>", meaning: "fixed part of the redirect address (default: made up)" },
      ],
      read: fieldsOf,
      run: create,
    }),
    verb({
      usage: "setup <provider>",
      summary: "Say what to enter at a well-known platform's console: redirect address, scopes, steps.",
      examples: ["runtime providers setup slack", "runtime providers setup google -o json"],
      read: (line) => ({ provider: line.word(0) }),
      run: setup,
    }),
    verb({
      usage: "update <id>",
      summary: "Change what is given and leave the rest.",
      examples: [
        "runtime providers update slack --status inactive",
        "runtime providers update slack --file -",
      ],
      flags: FIELDS,
      read: fieldsOf,
      run: update,
    }),
    verb({
      usage: "delete <id>",
      summary: "Delete an auth provider together with what users have granted there.",
      examples: ["runtime providers delete slack --yes"],
      flags: [{ flag: "-y, --yes", meaning: "do not ask" }],
      read: (line) => ({ id: line.word(0), yes: line.given("yes") }),
      run: remove,
    }),
  ],
};

const SHAPE: Shape<AuthProvider> = {
  name: ({ id }) => id,
  optional: ["provider_id", "description", "oauth2"],
  columns: [
    { title: "id", value: ({ id }) => id },
    { title: "provider", value: ({ provider_id }) => provider_id ?? "custom" },
    { title: "status", value: ({ status }) => status },
    { title: "client id", value: ({ oauth2 }) => oauth2.client_id },
    { title: "secret", value: ({ oauth2 }) => (oauth2.client_secret.exists ? "set" : "none") },
    { title: "description", value: ({ description }) => description },
  ],
};

function fieldsOf(line: Line): ProviderFields {
  const word = line.text("client-secret");
  if (word !== undefined && word !== "-") {
    throw new UsageError(
      "--client-secret takes only -, which reads it from standard input. Arguments can be seen by others.",
    );
  }
  return {
    id: line.optionalWord(0),
    providerId: line.text("provider"),
    clientId: line.text("client-id"),
    secretFrom: line.given("client-secret-stdin") || word === "-" ? "-" : line.text("client-secret-file"),
    description: line.text("description"),
    status: line.choice("status", ["active", "inactive"]),
    externalId: line.text("external-id"),
    file: line.text("file"),
  };
}

async function list(io: Io, common: Common): Promise<void> {
  await withClient(io, common, async (client) => {
    const { items } = await listProviders(client);
    const empty = "There are no auth providers yet. Create one: runtime providers create --help";
    printList(io, common, items, SHAPE, empty);
  });
}

async function show(io: Io, common: Common, { id }: { id: string }): Promise<void> {
  await withClient(io, common, async (client) => printProvider(io, common, await getProvider(client, id)));
}

async function create(io: Io, common: Common, fields: ProviderFields): Promise<void> {
  const body = await bodyOf(io, fields, "create");
  await withClient(io, common, async (client) => {
    const provider = await createProvider(client, body);
    printProvider(io, common, provider);
    io.note(
      `Register this redirect address at the provider:\n  ${io.notePaint.bold(provider.oauth2.redirect_uri)}`,
    );
  });
}

async function setup(io: Io, common: Common, { provider }: { provider: string }): Promise<void> {
  await withClient(io, common, async (client) => {
    const found = await providerSetup(client, provider);
    for (const warning of found.warnings) io.note(`warning: ${printable(warning)}`);
    printRecord(io, common, found, { name: ({ redirect_uri }) => redirect_uri, columns: [] }, [
      ["redirect uri", found.redirect_uri],
      ["scopes", found.scopes.join(" ")],
      ["console", found.console],
      ...found.steps.map((step, index): [string, string] => [`step ${index + 1}`, step]),
    ]);
    if (found.exists) return;
    const command = `runtime providers create ${provider} --provider ${provider} --external-id ${found.external_id}`;
    io.note(
      `Then, so that the redirect address stays this one:\n  ${command} --client-id ID --client-secret-stdin`,
    );
  });
}

async function update(io: Io, common: Common, fields: ProviderFields): Promise<void> {
  const { id, ...patch } = await bodyOf(io, fields, "update");
  if (Object.keys(patch).length === 0) throw new UsageError("Nothing to change: give a flag, or --file.");
  await withClient(io, common, async (client) => {
    printProvider(io, common, await updateProvider(client, String(id), patch));
  });
}

async function remove(
  io: Io,
  common: Common,
  { id, yes }: { id: string; yes: boolean },
): Promise<number | void> {
  if (!yes && !io.interactive)
    throw new UsageError("There is no terminal to ask at. To delete without asking: --yes.");
  return withClient(io, common, async (client) => {
    const { provider_id } = await getProvider(client, id);
    const { total_count } = await listConnections(client, { provider_id: id, limit: 1 });
    const question = `Delete ${id} (${provider_id ?? "custom"}) and ${total_count} connections?`;
    if (!yes && !(await io.prompts.confirm(question, false))) {
      printDeleted(io, common, id, false);
      io.note("Nothing was deleted.");
      return EXIT.error;
    }
    const deleted = await deleteProvider(client, id);
    if (common.output === "name") printDeleted(io, common, id);
    else print(io, common.output, deleted, () => "");
    io.note(`The auth provider ${id} is deleted with ${total_count} connections.`);
    return EXIT.ok;
  });
}

function printProvider(io: Io, common: Common, provider: AuthProvider): void {
  const { oauth2, created_at, updated_at } = provider;
  const own = SHAPE.columns.map(({ title, value }) => [title, value(provider)] as const);
  printRecord(io, common, provider, SHAPE, [
    ["redirect uri", oauth2.redirect_uri],
    ...own,
    ["authorize at", oauth2.authorize_request?.endpoint],
    ["token at", oauth2.token_request?.endpoint],
    ["refresh at", oauth2.refresh_request?.endpoint],
    ["created", created_at],
    ["updated", updated_at],
  ]);
}
