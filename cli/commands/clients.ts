// `runtime clients`: programs that people have allowed to act for them.
import { notFound } from "../../src/errors";
import type { ClientRecord } from "../../src/people";
import { listClients, revokeClient } from "../client/clients";
import type { Shape } from "../output";
import { printable } from "../printable";
import { deleteVerb, listVerb, showVerb } from "../record-verbs";

const ORIGINS = { built_in: "built in", document: "document", registered: "registered itself" } as const;

const SHAPE: Shape<ClientRecord> = {
  name: ({ id }) => id,
  optional: ["name", "last_used_at"],
  columns: [
    { title: "id", keep: "always", value: ({ id }) => id },
    { title: "name", value: ({ name }) => name ?? "" },
    { title: "came as", keep: "whole", value: ({ origin }) => ORIGINS[origin] },
    { title: "people", value: ({ allowed }) => unique(allowed.map(({ user_id }) => user_id)) },
    { title: "gateways", value: ({ allowed }) => unique(allowed.map(({ gateway }) => gateway ?? "(API)")) },
    { title: "last used", keep: "whole", value: ({ last_used_at }) => last_used_at ?? "never" },
  ],
};

function unique(words: readonly string[]): string {
  return [...new Set(words)].join(",");
}

export const verbs = [
  listVerb({
    summary: "List the clients that people of the project have allowed to act for them.",
    examples: ["runtime clients list", "runtime clients list -o json"],
    find: async (client) => (await listClients(client)).items,
    shape: SHAPE,
    empty: "No client has been allowed anything yet.",
  }),
  showVerb({
    summary: "Show a client, with everybody who has allowed it something.",
    examples: ["runtime clients show runtime-cli"],
    find: async (client, id) => {
      const record = (await listClients(client)).items.find((one) => one.id === id);
      if (record !== undefined) return record;
      throw notFound("The people of this project have allowed no client with this id anything.");
    },
    shape: SHAPE,
  }),
  deleteVerb({
    usage: "revoke <id>",
    summary:
      "End everything that the people of the project have allowed a client, from its next request on. On the data folder, " +
      "its registration ends too.",
    examples: ["runtime clients revoke runtime-cli"],
    find: async (client, id) => {
      const { items } = await listClients(client);
      const record = items.find((one) => one.id === id);
      const name = printable(record?.name ?? id);
      return {
        id,
        name: id,
        question: `Revoke ${name}? ${counted(record)} must allow it again.`,
        done: `The client ${name} is revoked. People can allow it again.`,
      };
    },
    remove: revokeClient,
  }),
];

function counted(record: ClientRecord | undefined): string {
  const people = new Set(record?.allowed.map(({ user_id }) => user_id)).size;
  return people === 1 ? "One person" : `${people} people`;
}
