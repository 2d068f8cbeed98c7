// `runtime keys`: API keys of the project, and the rotation of encryption keys.
import type { ApiKey, RotatedApiKey } from "../../src/identity";
import { type Client, clientVerb } from "../client/client";
import { createKey, deleteKey, getKey, listKeys, rotateDataKey, rotateKey } from "../client/keys";
import { keyId, keyToRotate } from "../client/named";
import { defined, type Line } from "../command";
import { columnLines, printRecord, type Shape } from "../output";
import { withProgress } from "../progress";
import { type Deletion, deleteVerb, listVerb, showVerb } from "../record-verbs";
import { rotateRootVerb } from "../root-rotation";
import type { Column } from "../table";
import { durationOf, futureTime } from "../times";

const COLUMNS: readonly Column<ApiKey>[] = [
  { title: "id", keep: "always", value: ({ id }) => id },
  { title: "name", value: ({ name }) => name },
  { title: "role", keep: "whole", value: ({ role }) => role },
  { title: "prefix", keep: "whole", value: ({ prefix }) => `${prefix}…` },
  { title: "users", value: ({ users }) => users?.join(",") ?? "any" },
  { title: "created", keep: "whole", value: ({ created_at }) => created_at },
  { title: "expires", keep: "whole", value: expiryOf },
  { title: "last used", keep: "whole", value: ({ last_used_at }) => last_used_at ?? "never" },
];

const SHAPE: Shape<ApiKey> = {
  name: ({ id }) => id,
  optional: ["users", "expires_at", "last_used_at", "replaced_by", "key"],
  columns: COLUMNS,
  lines: (record) => [
    ...columnLines(COLUMNS, record),
    ["replaced by", record.replaced_by],
    ["key", record.key],
  ],
};

const ROTATED: Shape<RotatedApiKey> = {
  ...SHAPE,
  lines: (record) => [
    ...columnLines(COLUMNS, record),
    ["replaces", `${record.former.id}, until ${record.former.expires_at}`],
    ["key", record.key],
  ],
};

export const verbs = [
  listVerb({
    summary: "List the API keys of the project.",
    examples: ["runtime keys list", "runtime keys list -o json"],
    find: async (client) => (await listKeys(client)).items,
    shape: SHAPE,
    empty: "There are no API keys yet. Create one: runtime keys create NAME",
  }),
  showVerb({
    summary: "Show one API key, by its id or name. The key itself is never shown again.",
    examples: ["runtime keys show my-agent"],
    find: async (client, given) => getKey(client, await keyId(client, given)),
    shape: SHAPE,
  }),
  clientVerb({
    usage: "create <name>",
    summary: "Create an API key and print it. It is not shown again.",
    examples: [
      "runtime keys create my-agent",
      "runtime keys create ops --role admin --expires 90d",
      "runtime keys create verifier --role verify",
      "runtime keys create prometheus --role metrics",
    ],
    flags: [
      { flag: "--role <role>", meaning: "admin, run, read, verify or metrics (default: run)" },
      {
        flag: "--user <user>",
        meaning: "user that the key may act for; may be repeated (default: any)",
        repeat: true,
      },
      {
        flag: "--expires <when>",
        meaning: "a time (2030-01-31T00:00:00Z) or a duration from now (90d, 12h)",
      },
    ],
    read: (line) => ({
      name: line.word(0),
      role: line.choice("role", ["admin", "run", "read", "verify", "metrics"]),
      users: line.texts("user"),
      expires_at: expiryIn(line),
    }),
    run: async ({ io, common, client }, request) => {
      printRecord(io, common, await createKey(client, defined(request)), SHAPE);
      io.note("The key is shown only now. Store it in a safe place.");
    },
  }),
  deleteVerb({
    summary: "Revoke an API key. It stops working at once.",
    examples: ["runtime keys delete my-agent"],
    find: keyToDelete,
    remove: deleteKey,
  }),
  clientVerb({
    usage: "rotate <name>",
    summary:
      "Replace an API key by a new one with the same name, role, users and lifetime, and print it. The old key works " +
      "until the overlap is over.",
    examples: ["runtime keys rotate my-agent", "runtime keys rotate nightly --overlap 7d"],
    flags: [
      {
        flag: "--overlap <time>",
        meaning: "how long the old key works on: 30m, 1h, 7d; 0: not at all (default: 1h)",
      },
    ],
    read: (line) => ({
      name: line.word(0),
      overlap_seconds: durationOf(line.text("overlap"), "--overlap"),
    }),
    run: async ({ io, common, client }, { name, overlap_seconds }) => {
      const id = await keyToRotate(client, name);
      printRecord(io, common, await rotateKey(client, id, defined({ overlap_seconds })), ROTATED);
      io.note("The key is shown only now. Store it in a safe place.");
    },
  }),
  rotateRootVerb,
  clientVerb({
    usage: "rotate-data",
    summary: "Replace the data key of the project and re-encrypt all values. Servers may keep running.",
    examples: ["runtime keys rotate-data", "runtime keys rotate-data --project sales"],
    read: () => ({}),
    run: async ({ io, common, client }) => {
      const rotated = await withProgress(io, "Re-encrypting", rotateDataKey(client));
      const { id, resealed, unopenable = 0, remaining = 0 } = rotated;
      printRecord(io, common, rotated, {
        name: () => id,
        columns: [],
        lines: () => [
          ["data key", id],
          ["re-encrypted", String(resealed)],
        ],
      });
      if (unopenable > 0)
        io.note(`Values that cannot be decrypted and were left unchanged: ${unopenable}. See the log.`);
      if (remaining > 0)
        io.note(`Values that changed all the time and were not re-encrypted: ${remaining}. Run this again.`);
    },
  }),
];

async function keyToDelete(client: Client, given: string): Promise<Deletion> {
  const id = await keyId(client, given);
  const key = await getKey(client, id);
  const { items } = await listKeys(client);
  const isOtherAdmin = (each: ApiKey): boolean => each.id !== id && isWorkingAdmin(each);
  const last = isWorkingAdmin(key) && !items.some(isOtherAdmin);
  return {
    id,
    name: id,
    question: `Revoke the API key ${key.name} (${key.role})? It stops working at once.`,
    done: `The API key ${id} is revoked.`,
    inUse: last ? "It is the last admin key of the project." : undefined,
  };
}

function isWorkingAdmin({ role, expires_at }: ApiKey): boolean {
  return role === "admin" && (expires_at === undefined || Date.parse(expires_at) > Date.now());
}

/** An expired key stays in the list until it is deleted. */
function expiryOf({ expires_at }: ApiKey): string {
  if (expires_at === undefined) return "never";
  return Date.parse(expires_at) <= Date.now() ? `${expires_at} (expired)` : expires_at;
}

function expiryIn(line: Line): string | undefined {
  const text = line.text("expires");
  if (text === undefined) return undefined;
  const time = new Date(timeOf(text, Date.now()));
  return time.toISOString().replace(/\.\d+Z$/, "Z");
}

/** Parses a point in time with its zone, or a duration from now. Returns milliseconds. Throws `usage`. */
export function timeOf(text: string, now: number): number {
  const [, count, unit = ""] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  const units: { [unit: string]: number } = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
  if (count !== undefined) return now + Number(count) * (units[unit] ?? 0);
  // A day begins in UTC, as the printed time shows.
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text;
  return futureTime(time, "--expires", now, ", or a duration from now: 30m, 12h, 90d, 4w");
}
