// `runtime keys`: API keys of the project.
import type { ApiKey } from "../../src/identity";
import { withClient, withDataFolder } from "../client/client";
import { createKey, deleteKey, getKey, listKeys, rotateDataKey } from "../client/keys";
import { type Common, given, type Noun, verb } from "../command";
import { UsageError } from "../errors";
import type { Io } from "../io";
import { withProgress } from "../progress";
import { printDeleted, printList, printRecord, type Shape } from "../output";

const YES = { flag: "-y, --yes", meaning: "do not ask" };

export const keys: Noun = {
  name: "keys",
  summary: "API keys",
  verbs: [
    verb({
      usage: "list",
      summary: "List the API keys of the project.",
      examples: ["runtime keys list", "runtime keys list -o json"],
      read: () => ({}),
      run: list,
    }),
    verb({
      usage: "show <id>",
      summary: "Show one API key; the key itself is never shown again.",
      examples: ["runtime keys show key_0123456789"],
      read: (line) => ({ id: line.word(0) }),
      run: show,
    }),
    verb({
      usage: "create <name>",
      summary: "Make an API key and print it, this once.",
      examples: ["runtime keys create my-agent", "runtime keys create ops --role admin --expires 90d"],
      flags: [
        { flag: "--role <role>", meaning: "admin, run or read (default: run)" },
        {
          flag: "--user <user>",
          meaning: "a user that it may act for; repeat for several (default: any)",
          repeat: true,
        },
        {
          flag: "--expires <when>",
          meaning: "a time (2030-01-31T00:00:00Z) or how long from now (90d, 12h)",
        },
      ],
      read: (line) => ({
        name: line.word(0),
        role: line.choice("role", ["admin", "run", "read"]),
        users: line.texts("user"),
        expires: line.text("expires"),
      }),
      run: create,
    }),
    verb({
      usage: "delete <id>",
      summary: "Revoke an API key: it stops working at once.",
      examples: ["runtime keys delete key_0123456789"],
      flags: [YES],
      read: (line) => ({ id: line.word(0) }),
      run: remove,
    }),
    verb({
      usage: "rotate-root",
      summary: "Make a new root key in the file of the old one; servers may run meanwhile.",
      examples: ["runtime keys rotate-root"],
      flags: [
        {
          flag: "--leave-damaged",
          meaning: "go on although data keys are damaged, and leave those as they are",
        },
      ],
      read: (line) => ({ leaveDamaged: line.given("leave-damaged") }),
      run: rotateRoot,
    }),
    verb({
      usage: "rotate-data",
      summary: "Make a new data key for the project and seal everything anew; servers may run meanwhile.",
      examples: ["runtime keys rotate-data", "runtime keys rotate-data --project sales"],
      read: () => ({}),
      run: rotateData,
    }),
  ],
};

const SHAPE: Shape<ApiKey> = {
  name: ({ id }) => id,
  optional: ["users", "expires_at", "last_used_at", "key"],
  columns: [
    { title: "id", value: ({ id }) => id },
    { title: "name", value: ({ name }) => name },
    { title: "role", value: ({ role }) => role },
    { title: "prefix", value: ({ prefix }) => `${prefix}…` },
    { title: "users", value: ({ users }) => users?.join(",") ?? "any" },
    { title: "created", value: ({ created_at }) => created_at },
    { title: "expires", value: ({ expires_at }) => expires_at ?? "never" },
    { title: "last used", value: ({ last_used_at }) => last_used_at ?? "never" },
  ],
};

async function list(io: Io, common: Common): Promise<void> {
  await withClient(io, common, async (client) => {
    const { items } = await listKeys(client);
    printList(io, common, items, SHAPE, "There are no API keys yet. Make one: runtime keys create NAME");
  });
}

async function show(io: Io, common: Common, { id }: { id: string }): Promise<void> {
  await withClient(io, common, async (client) => {
    printRecord(io, common, await getKey(client, id), SHAPE);
  });
}

interface CreateKey {
  name: string;
  role: string | undefined;
  users: string[] | undefined;
  expires: string | undefined;
}

async function create(io: Io, common: Common, { name, role, users, expires }: CreateKey): Promise<void> {
  const expires_at = expires === undefined ? undefined : wholeSecond(timeOf(expires, Date.now()));
  await withClient(io, common, async (client) => {
    const key = await createKey(client, given({ name, role, users, expires_at }));
    const lines = SHAPE.columns.map(({ title, value }) => [title, value(key)] as const);
    printRecord(io, common, key, SHAPE, [...lines, ["key", key.key]]);
    io.note("The key is shown only now. Keep it where secrets are kept.");
  });
}

async function remove(io: Io, common: Common, { id }: { id: string }): Promise<void> {
  await withClient(io, common, async (client) => {
    await deleteKey(client, id);
    printDeleted(io, common, id);
    io.note(`The API key ${id} is revoked.`);
  });
}

async function rotateRoot(io: Io, common: Common, options: { leaveDamaged: boolean }): Promise<void> {
  await withDataFolder(io, common, "keys rotate-root", async ({ runtime, principal }) => {
    const rotated = await runtime.rotation.rotateRoot(principal, options);
    printRecord(io, common, rotated, { name: ({ id }) => id, columns: [] }, [["root key", rotated.id]]);
    if (rotated.damaged !== undefined)
      io.note(
        `Data keys that are damaged and were left as they are: ${rotated.damaged}. The log names them.`,
      );
    io.note("The old root key opens nothing any more. Back up the new one, apart from the data.");
  });
}

async function rotateData(io: Io, common: Common): Promise<void> {
  await withClient(io, common, async (client) => {
    const rotated = await withProgress(io, "Sealing anew", rotateDataKey(client));
    printRecord(io, common, rotated, { name: ({ id }) => id, columns: [] }, [
      ["data key", rotated.id],
      ["sealed anew", String(rotated.resealed)],
    ]);
    const { unopenable = 0 } = rotated;
    if (unopenable > 0)
      io.note(`Values that cannot be opened and were left as they are: ${unopenable}. The log names them.`);
  });
}

function wholeSecond(time: number): string {
  return new Date(time).toISOString().replace(/\.\d+Z$/, "Z");
}

/** A point in time, ms: as it is written, or so long from now. Throws `usage`. */
export function timeOf(text: string, now: number): number {
  const [, count, unit = ""] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  const units: { [unit: string]: number } = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
  if (count !== undefined) return now + Number(count) * (units[unit] ?? 0);
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(time)) return time;
  throw new UsageError(
    "--expires takes a time such as 2030-01-31T00:00:00Z, or how long from now: 30m, 12h, 90d, 4w.",
  );
}
