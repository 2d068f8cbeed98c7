// `runtime connections`: what users have granted at providers.
import { nearest } from "../../src/base/nearest";
import type { Page } from "../../src/base";
import type { UserConnection } from "../../src/connections";
import { type Client, clientVerb, operation, userOf, withClient, withDataFolder } from "../client/client";
import { path } from "../client/http";
import { listProviders } from "../client/providers";
import { type Common, defined, type Line, verb } from "../command";
import { UsageError } from "../errors";
import type { Io } from "../io";
import { printList, printRecord, type Shape } from "../output";
import { everyRecord } from "../pages";
import { printable } from "../printable";
import {
  checkConfirmable,
  confirmationIn,
  deleteConfirmed,
  DELETING,
  type Deletion,
  showVerb,
} from "../record-verbs";
import { type SecretSource, secretFrom, sourceOf } from "../secret-value";
import { unknownName } from "../unknown-name";

const CONNECTIONS = "/v1/admin/user_connections";

interface Filter {
  provider_id?: string;
  user_id?: string;
  limit?: number;
  offset?: number;
}

export const listConnections = operation<[filter: Filter], Page<UserConnection>>({
  direct: ({ runtime, principal }, filter) => runtime.connections.list(principal, filter),
  remote: (server, filter) => server.get(CONNECTIONS, { ...filter }),
});

const getConnection = operation<[id: string], UserConnection>({
  direct: ({ runtime, principal }, id) => runtime.connections.get(principal, id),
  remote: (server, id) => server.get(path(`${CONNECTIONS}/`, id)),
});

const deleteConnection = operation<[id: string], void>({
  direct: ({ runtime, principal }, id) => runtime.connections.delete(principal, id),
  remote: (server, id) => server.send("DELETE", path(`${CONNECTIONS}/`, id)),
});

const SHAPE: Shape<UserConnection> = {
  name: ({ id }) => id,
  optional: ["provider_description", "provider_user_info"],
  columns: [
    { title: "id", keep: "always", value: ({ id }) => id },
    { title: "user", keep: "always", value: ({ user_id }) => user_id },
    { title: "provider", keep: "always", value: ({ provider_id }) => provider_id },
    { title: "status", keep: "whole", value: ({ connection_status }) => connection_status },
    { title: "scopes", value: ({ scopes }) => scopes.join(" ") },
  ],
};

export const verbs = [
  clientVerb({
    usage: "list",
    summary: "List what users have granted, a page at a time.",
    examples: ["runtime connections list", "runtime connections list --user alice --provider slack"],
    flags: [
      { flag: "--provider <id>", meaning: "only those at this auth provider" },
      { flag: "--user <user>", meaning: "only those of this user" },
      { flag: "--limit <n>", meaning: "how many to show, at most 100 (default: 25)" },
      { flag: "--offset <n>", meaning: "how many to skip" },
    ],
    read: (line) =>
      defined({
        provider_id: line.text("provider"),
        user_id: line.text("user"),
        limit: line.integer("limit", 1),
        offset: line.integer("offset", 0),
      }),
    run: async ({ io, common, client }, filter) => {
      const { items, offset, total_count } = await listConnections(client, filter);
      if (total_count === 0) await checkFilter(client, filter);
      printList(io, common, items, SHAPE, "No such connections.");
      if (items.length > 0 && items.length < total_count) {
        io.note(
          `${offset + 1} to ${offset + items.length} of ${total_count}. More with --offset and --limit.`,
        );
      }
    },
  }),
  showVerb({
    summary: "Show one grant.",
    examples: ['runtime connections show "$(runtime connections list --limit 1 -o name)"'],
    find: getConnection,
    shape: SHAPE,
  }),
  verb({
    usage: "add <provider> [-]",
    summary:
      "Enter a user's own key for an auth provider of the type api_key, on the data folder. It is requested at a terminal, " +
      "or with - read from standard input. Elsewhere, users enter it on the page of their consent: runtime auth start --help",
    examples: ["runtime connections add tracker --user alice"],
    flags: [
      { flag: "--user <user>", meaning: "user whose key it is" },
      { flag: "--from-file <file>", meaning: "read the key from a file" },
      { flag: "--from-env <variable>", meaning: "take the key of an environment variable" },
    ],
    read: (line) => ({
      providerId: line.word(0),
      user: line.text("user"),
      source: sourceOf(readsStdin(line), line.text("from-file"), line.text("from-env")),
    }),
    run: addKey,
  }),
  verb({
    usage: "delete [id]",
    summary:
      "Delete a grant with its tokens, or all grants of a user. The user must consent again before the next call.",
    examples: [
      'runtime connections delete "$(runtime connections list --user alice --provider slack -o name)"',
      "runtime connections delete --user alice --all",
    ],
    flags: [
      { flag: "--user <user>", meaning: "with --all: the grants of this user" },
      { flag: "--all", meaning: "all grants of the user" },
      ...DELETING,
    ],
    read: (line) => ({
      id: line.optionalWord(0),
      user: line.text("user"),
      all: line.has("all"),
      ...confirmationIn(line),
    }),
    run: (io, common, { id, user, all, ...given }) => {
      if ((id === undefined) !== all || all !== (user !== undefined))
        throw new UsageError("Give the id of a grant, or --user USER --all.");
      checkConfirmable(io, given.yes || given.force);
      return withClient(io, common, async (client) => {
        if (id !== undefined)
          return deleteConfirmed({ io, common }, given, ofOne(id), () => deleteConnection(client, id));
        return deleteConfirmed({ io, common }, given, ofUser(user ?? ""), () =>
          deleteAll(client, user ?? ""),
        );
      });
    },
  }),
];

interface AddKey {
  providerId: string;
  user: string | undefined;
  source: SecretSource | undefined;
}

async function addKey(io: Io, common: Common, { providerId, user, source }: AddKey): Promise<void> {
  await withDataFolder(io, common, "connections add", async ({ config, runtime, principal }) => {
    const userId = userOf({ config }, user);
    const { Redacted } = await import("../../src/base");
    const key = new Redacted(await secretFrom(io, source, `Key of ${printable(userId)}`));
    const added = await runtime.operatorKeys.add(principal, { providerId, userId, key });
    printRecord(io, common, added, SHAPE);
  });
}

function readsStdin(line: Line): boolean {
  const word = line.optionalWord(1);
  if (word === undefined || word === "-") return word === "-";
  throw new UsageError(
    "A key is never an argument. Other users can see arguments; use - for standard input.",
  );
}

function ofOne(id: string): Deletion {
  return {
    id,
    name: id,
    question: `Delete the connection ${id} with its tokens? Its user must consent again.`,
    done: `The connection ${id} is deleted.`,
  };
}

function ofUser(user: string): Deletion {
  return {
    id: user,
    name: user,
    question: `Delete all grants of ${user} with their tokens? The user must consent again.`,
    done: `All grants of ${user} are deleted.`,
  };
}

async function deleteAll(client: Client, user_id: string): Promise<{ user_id: string; deleted: string[] }> {
  const rows = await everyRecord((window) => listConnections(client, { ...window, user_id }));
  for (const { id } of rows) await deleteConnection(client, id);
  return { user_id, deleted: rows.map(({ id }) => id) };
}

/** Names that belong to nothing are mistakes. Throws `not_found`. */
async function checkFilter(client: Client, { provider_id, user_id }: Filter): Promise<void> {
  if (provider_id !== undefined) {
    const providers = (await listProviders(client)).items.map(({ id }) => id);
    if (!providers.includes(provider_id))
      throw unknownName("auth provider", provider_id, providers, "runtime providers list");
  }
  if (user_id === undefined) return;
  const all = await everyRecord((window) => listConnections(client, window));
  const users = [...new Set(all.map((each) => each.user_id))];
  // Users are not records, so only a near name is a mistake: another user may have granted nothing yet.
  if (nearest(user_id, users) !== undefined && !users.includes(user_id))
    throw unknownName("user", user_id, users, "runtime connections list");
}
