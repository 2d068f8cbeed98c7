// `runtime secrets`: values that tools need. They go in and never come out.
import type { StoredSecret } from "../../src/secrets";
import { type Common, given, type Noun, verb } from "../command";
import { UsageError } from "../errors";
import type { Io } from "../io";
import { print, printList, printRecord } from "../output";
import { withSession } from "../session";
import type { Column } from "../table";

export const secrets: Noun = {
  name: "secrets",
  summary: "values that tools need",
  verbs: [
    verb({
      usage: "list",
      summary: "List the stored secrets, without their values.",
      examples: ["runtime secrets list"],
      read: () => ({}),
      run: listSecrets,
    }),
    verb({
      usage: "set <key> [value]",
      summary:
        "Set a secret. Without a value it is asked for; - reads it from standard input, less one line end. A value on " +
        "the command line can be seen by others in the list of processes and stays in the shell's history.",
      examples: ["runtime secrets set VENDOR_TOKEN", "pass show vendor | runtime secrets set VENDOR_TOKEN -"],
      flags: [{ flag: "--description <text>", meaning: "what it is for" }],
      read: (line) => ({
        key: line.word(0),
        value: line.optionalWord(1),
        description: line.text("description"),
      }),
      run: setSecret,
    }),
    verb({
      usage: "delete <key>",
      summary: "Delete a secret by its key or id.",
      examples: ["runtime secrets delete VENDOR_TOKEN"],
      flags: [{ flag: "-y, --yes", meaning: "do not ask" }],
      read: (line) => ({ key: line.word(0) }),
      run: deleteSecret,
    }),
  ],
};

const COLUMNS: Column<StoredSecret>[] = [
  { title: "key", value: ({ key }) => key },
  { title: "description", value: ({ description }) => description },
  { title: "updated", value: ({ updated_at }) => updated_at },
  { title: "last read", value: ({ last_accessed_at }) => last_accessed_at ?? "never" },
  { title: "id", value: ({ id }) => id },
];

async function listSecrets(io: Io, common: Common): Promise<void> {
  await withSession(io, common, async ({ runtime, principal }) => {
    const { items } = await runtime.secrets.list(principal);
    printList(
      io,
      common.output,
      items,
      COLUMNS,
      "There are no secrets yet. Set one: runtime secrets set KEY",
    );
  });
}

interface SetSecret {
  key: string;
  value: string | undefined;
  description: string | undefined;
}

async function setSecret(io: Io, common: Common, { key, value, description }: SetSecret): Promise<void> {
  const { checked, fieldErrors, hasNul } = await import("../../src/base");
  const { SecretKey, UpsertStoredSecretRequest } = await import("../../src/secrets");
  const { invalidParameter, malformedRequest } = await import("../../src/errors");
  const [broken] = fieldErrors(SecretKey, key);
  if (broken !== undefined) throw invalidParameter(`The key ${broken.message}.`);
  const text = await valueOf(io, value);
  if (hasNul(text)) throw malformedRequest("The value holds the NUL character.");
  const request = checked(UpsertStoredSecretRequest, given({ value: text, description }), "secret");
  await withSession(io, common, async ({ runtime, principal }) => {
    const record = await runtime.secrets.upsert(principal, key, request);
    printRecord(
      io,
      common.output,
      record,
      COLUMNS.map(({ title, value: show }) => [title, show(record)]),
    );
  });
}

async function valueOf(io: Io, value: string | undefined): Promise<string> {
  if (value === "-") {
    const { readText, withoutLineEnd } = await import("../input");
    return withoutLineEnd(await readText(io, "-", "The value on standard input"));
  }
  if (value !== undefined) return value;
  if (io.interactive) return io.prompts.secret("Value");
  throw new UsageError("Give the value: as - it is read from standard input (runtime secrets set KEY -).");
}

async function deleteSecret(io: Io, common: Common, { key }: { key: string }): Promise<void> {
  await withSession(io, common, async ({ runtime, principal }) => {
    await runtime.secrets.delete(principal, key);
    print(io, common.output, { id: key, deleted: true }, () => "");
    io.note(`The secret ${key} is deleted.`);
  });
}
