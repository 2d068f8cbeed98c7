// `runtime connections`: what users have granted at providers.
import type { UserConnection } from "../../src/connections";
import { withClient } from "../client/client";
import { deleteConnection, listConnections } from "../client/connections";
import { type Common, given, type Noun, verb } from "../command";
import type { Io } from "../io";
import { printDeleted, printList, type Shape } from "../output";

export const connections: Noun = {
  name: "connections",
  summary: "what users have granted",
  verbs: [
    verb({
      usage: "list",
      summary: "List what users have granted, a page at a time.",
      examples: ["runtime connections list", "runtime connections list --user alice --provider slack"],
      flags: [
        { flag: "--provider <id>", meaning: "only those at this auth provider" },
        { flag: "--user <user>", meaning: "only those of this user" },
        { flag: "--limit <n>", meaning: "how many, at most 100 (default: 25)" },
        { flag: "--offset <n>", meaning: "how many to skip" },
      ],
      read: (line) => ({
        provider_id: line.text("provider"),
        user_id: line.text("user"),
        limit: line.integer("limit", 1),
        offset: line.integer("offset", 0),
      }),
      run: list,
    }),
    verb({
      usage: "delete <id>",
      summary: "Forget a grant with its tokens: the user's next call needs a consent.",
      examples: ["runtime connections delete ac_0123456789"],
      flags: [{ flag: "-y, --yes", meaning: "do not ask" }],
      read: (line) => ({ id: line.word(0) }),
      run: remove,
    }),
  ],
};

const SHAPE: Shape<UserConnection> = {
  name: ({ id }) => id,
  columns: [
    { title: "id", value: ({ id }) => id },
    { title: "user", value: ({ user_id }) => user_id },
    { title: "provider", value: ({ provider_id }) => provider_id },
    { title: "status", value: ({ connection_status }) => connection_status },
    { title: "scopes", value: ({ scopes }) => scopes.join(" ") },
  ],
};

interface ListConnections {
  provider_id: string | undefined;
  user_id: string | undefined;
  limit: number | undefined;
  offset: number | undefined;
}

async function list(io: Io, common: Common, filter: ListConnections): Promise<void> {
  await withClient(io, common, async (client) => {
    const { items, offset, total_count } = await listConnections(client, given(filter));
    printList(io, common, items, SHAPE, "There are no such connections.");
    if (items.length > 0 && items.length < total_count) {
      io.note(`${offset + 1} to ${offset + items.length} of ${total_count}. More with --offset and --limit.`);
    }
  });
}

async function remove(io: Io, common: Common, { id }: { id: string }): Promise<void> {
  await withClient(io, common, async (client) => {
    await deleteConnection(client, id);
    printDeleted(io, common, id);
    io.note(`The connection ${id} is deleted.`);
  });
}
