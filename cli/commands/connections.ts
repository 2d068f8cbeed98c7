// `runtime connections`: what users have granted at providers.
import type { Page } from "../../src/base";
import type { UserConnection } from "../../src/connections";
import { clientVerb, operation } from "../client/client";
import { path } from "../client/http";
import { defined } from "../command";
import { printList, type Shape } from "../output";
import { deleteVerb, YES } from "../record-verbs";

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

const deleteConnection = operation<[id: string], void>({
  direct: ({ runtime, principal }, id) => runtime.connections.delete(principal, id),
  remote: (server, id) => server.send("DELETE", path(`${CONNECTIONS}/`, id)),
});

const SHAPE: Shape<UserConnection> = {
  name: ({ id }) => id,
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
      printList(io, common, items, SHAPE, "No such connections.");
      if (items.length > 0 && items.length < total_count) {
        io.note(
          `${offset + 1} to ${offset + items.length} of ${total_count}. More with --offset and --limit.`,
        );
      }
    },
  }),
  deleteVerb({
    summary: "Delete a grant with its tokens. The user must consent again before the next call.",
    examples: ["runtime connections delete ac_0123456789"],
    flags: [YES],
    remove: deleteConnection,
    done: (id) => `The connection ${id} is deleted.`,
  }),
];
