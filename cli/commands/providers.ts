// `runtime providers`: where users consent.
import { presets } from "../../catalogs/presets";
import type { AuthProvider } from "../../src/providers";
import { AuthProviderResponse } from "../../src/providers/schema";
import { clientVerb, withClient } from "../client/client";
import {
  createProvider,
  deleteProvider,
  getProvider,
  listProviders,
  providerSetup,
  updateProvider,
} from "../client/providers";
import { type Common, type Line, verb } from "../command";
import { counted } from "../counted";
import { UsageError } from "../errors";
import type { Io } from "../io";
import { columnLines, printRecord, type Shape } from "../output";
import { printable } from "../printable";
import { type ProviderFields, providerBody } from "../provider-body";
import { deleteVerb, listVerb, showVerb } from "../record-verbs";
import type { Column } from "../table";
import { listConnections } from "./connections";

const FIELDS = [
  { flag: "--client-id <id>", meaning: "id of your OAuth client" },
  { flag: "--client-secret-stdin", meaning: "read the client's secret from standard input" },
  { flag: "--client-secret-file <file>", meaning: "read the client's secret from a file" },
  {
    flag: "--client-secret <->",
    meaning: "the same as --client-secret-stdin; a secret is never an argument",
  },
  { flag: "--description <text>", meaning: "description for users" },
  { flag: "--status <status>", meaning: "active or inactive" },
  { flag: "--file <file>", meaning: "the whole record as JSON, or - for standard input; flags override it" },
];

const COLUMNS: readonly Column<AuthProvider>[] = [
  { title: "id", keep: "always", value: ({ id }) => id },
  {
    title: "provider",
    value: ({ provider_id, type }) => provider_id ?? (type === "api_key" ? type : "custom"),
  },
  { title: "status", keep: "whole", value: ({ status }) => status },
  { title: "client id", value: ({ oauth2 }) => oauth2?.client_id },
  {
    title: "secret",
    keep: "whole",
    value: ({ oauth2 }) => (oauth2?.client_secret.exists === true ? "set" : "none"),
  },
  { title: "description", value: ({ description }) => description },
];

const SHAPE: Shape<AuthProvider> = {
  name: ({ id }) => id,
  optional: ["provider_id", "description", "oauth2", "api_key"],
  schema: AuthProviderResponse,
  columns: COLUMNS,
  lines: (provider) => [
    ["redirect uri", provider.oauth2?.redirect_uri],
    ...columnLines(COLUMNS, provider),
    ["authorize at", provider.oauth2?.authorize_request?.endpoint],
    ["token at", provider.oauth2?.token_request?.endpoint],
    ["refresh at", provider.oauth2?.refresh_request?.endpoint],
    ["sent in", keyPlace(provider)],
    ["sent to", provider.api_key?.addresses?.join(" ")],
    ["tested at", provider.api_key?.test?.url],
    ["help", provider.api_key?.help],
    ["keys from", provider.api_key?.help_url],
    ["created", provider.created_at],
    ["updated", provider.updated_at],
  ],
};

function keyPlace({ api_key }: AuthProvider): string | undefined {
  if (api_key === undefined) return undefined;
  const { location, name, prefix } = api_key;
  return [location, name, prefix].filter((part) => part !== undefined).join(" ");
}

export const verbs = [
  listVerb({
    summary: "List the auth providers of the project.",
    examples: ["runtime providers list"],
    find: async (client) => (await listProviders(client)).items,
    shape: SHAPE,
    empty: "There are no auth providers yet. Create one: runtime providers create --help",
  }),
  showVerb({
    summary: "Show one auth provider, with the redirect address to register there.",
    examples: ["runtime providers show slack", "runtime providers show slack -o json"],
    find: getProvider,
    shape: SHAPE,
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
      { flag: "--external-id <id>", meaning: "fixed part of the redirect address (default: generated)" },
    ],
    read: fieldsOf,
    run: create,
  }),
  clientVerb({
    usage: "setup <provider>",
    summary: "Show what to enter at a well-known platform's console: redirect address, scopes, steps.",
    examples: ["runtime providers setup slack", "runtime providers setup google -o json"],
    read: (line) => ({ provider: line.word(0) }),
    run: async ({ io, common, client }, { provider }) => {
      const found = await providerSetup(client, provider);
      for (const warning of found.warnings) io.note(`warning: ${printable(warning)}`);
      printRecord(io, common, found, SETUP);
      if (found.exists) return;
      const command = `runtime providers create ${provider} --provider ${provider} --external-id ${found.external_id}`;
      io.note(`Then, to keep this redirect address:\n  ${command} --client-id ID --client-secret-stdin`);
    },
  }),
  verb({
    usage: "update <id>",
    summary: "Change the given fields; all others stay unchanged.",
    examples: [
      "runtime providers update slack --status inactive",
      "runtime providers update slack --file - < changes.json",
    ],
    flags: FIELDS,
    read: fieldsOf,
    run: update,
  }),
  deleteVerb({
    summary: "Delete an auth provider and everything that users have granted there.",
    examples: ["runtime providers delete slack"],
    find: async (client, word) => {
      const { id = word, provider_id } = await getProvider(client, word);
      const { total_count } = await listConnections(client, { provider_id: word, limit: 1 });
      return {
        id,
        name: id,
        question: `Delete ${id} (${provider_id ?? "custom"}) and ${counted(total_count, "connection")}?`,
        done: `The auth provider ${id} is deleted with ${counted(total_count, "connection")}.`,
        inUse: total_count === 0 ? undefined : `It has ${counted(total_count, "connection")} of users.`,
      };
    },
    remove: deleteProvider,
  }),
];

const SETUP: Shape<Awaited<ReturnType<typeof providerSetup>>> = {
  name: ({ redirect_uri }) => redirect_uri,
  columns: [],
  lines: ({ redirect_uri, scopes, console, steps }) => [
    ["redirect uri", redirect_uri],
    ["scopes", scopes.join(" ")],
    ["console", console],
    ...steps.map((step, index) => [`step ${index + 1}`, step] as const),
  ],
};

function fieldsOf(line: Line): ProviderFields {
  const word = line.text("client-secret");
  if (word !== undefined && word !== "-") {
    throw new UsageError(
      "--client-secret takes only -, which reads it from standard input. Other users can see arguments.",
    );
  }
  return {
    id: line.optionalWord(0),
    providerId: line.text("provider"),
    clientId: line.text("client-id"),
    secretFrom: line.has("client-secret-stdin") || word === "-" ? "-" : line.text("client-secret-file"),
    description: line.text("description"),
    status: line.choice("status", ["active", "inactive"]),
    externalId: line.text("external-id"),
    file: line.text("file"),
  };
}

async function create(io: Io, common: Common, fields: ProviderFields): Promise<void> {
  const body = await providerBody(io, fields, "create");
  await withClient(io, common, async (client) => {
    const provider = await createProvider(client, body);
    printRecord(io, common, provider, SHAPE);
    // Users enter keys of their own on a page of this server.
    if (provider.oauth2 === undefined) return;
    const address = io.notePaint.bold(provider.oauth2.redirect_uri);
    io.note(`Register this redirect address at the provider:\n  ${address}`);
  });
}

async function update(io: Io, common: Common, fields: ProviderFields): Promise<void> {
  const { id, ...patch } = await providerBody(io, fields, "update");
  if (Object.keys(patch).length === 0) throw new UsageError("Nothing to change. Use a flag or --file.");
  await withClient(io, common, async (client) =>
    printRecord(io, common, await updateProvider(client, String(id), patch), SHAPE),
  );
}
