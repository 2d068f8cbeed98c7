// `runtime secrets`: values that tools need. They go in and never come out, and are never arguments.
import type { StoredSecret } from "../../src/secrets";
import { checkSecretKey, deleteSecret, listSecrets, setSecret } from "../client/secrets";
import { withClient } from "../client/client";
import { type Common, given, type Line, type Noun, verb } from "../command";
import { UsageError } from "../errors";
import type { Io } from "../io";
import { printDeleted, printList, printRecord, type Shape } from "../output";
import { type SecretSource, secretFrom, sourceOf } from "../secret-value";

export const secrets: Noun = {
  name: "secrets",
  summary: "values that tools need",
  verbs: [
    verb({
      usage: "list",
      summary: "List the stored secrets, without their values.",
      examples: ["runtime secrets list", "runtime secrets list -o name"],
      read: () => ({}),
      run: list,
    }),
    verb({
      usage: "set <key> [-]",
      summary:
        "Set a secret: asked for at a terminal, or with - read from standard input, less one line end. A value is " +
        "never an argument: others see those in the list of processes.",
      examples: [
        "runtime secrets set VENDOR_TOKEN",
        "pass show vendor | runtime secrets set VENDOR_TOKEN -",
        "runtime secrets set VENDOR_SERVER_URL --from-env VENDOR_SERVER_URL",
      ],
      flags: [
        { flag: "--from-file <file>", meaning: "read the value from a file, less one line end" },
        { flag: "--from-env <variable>", meaning: "take the value of an environment variable" },
        { flag: "--description <text>", meaning: "what it is for" },
      ],
      read: (line) => ({
        key: line.word(0),
        source: sourceIn(line),
        description: line.text("description"),
      }),
      run: set,
    }),
    verb({
      usage: "delete <key>",
      summary: "Delete a secret by its key or id.",
      examples: ["runtime secrets delete VENDOR_TOKEN"],
      flags: [{ flag: "-y, --yes", meaning: "do not ask" }],
      read: (line) => ({ key: line.word(0) }),
      run: remove,
    }),
  ],
};

const SHAPE: Shape<StoredSecret> = {
  name: ({ key }) => key,
  optional: ["description", "last_accessed_at"],
  columns: [
    { title: "key", value: ({ key }) => key },
    { title: "description", value: ({ description }) => description },
    { title: "updated", value: ({ updated_at }) => updated_at },
    { title: "last read", value: ({ last_accessed_at }) => last_accessed_at ?? "never" },
    { title: "id", value: ({ id }) => id },
  ],
};

function sourceIn(line: Line): SecretSource | undefined {
  const word = line.optionalWord(1);
  if (word !== undefined && word !== "-") {
    throw new UsageError(
      "A value is never an argument: others see those. Use - with standard input, --from-file or --from-env.",
    );
  }
  return sourceOf([
    word === "-" ? { kind: "stdin" } : undefined,
    fileSource(line.text("from-file")),
    envSource(line.text("from-env")),
  ]);
}

function fileSource(file: string | undefined): SecretSource | undefined {
  if (file === undefined) return undefined;
  return file === "-" ? { kind: "stdin" } : { kind: "file", file };
}

function envSource(variable: string | undefined): SecretSource | undefined {
  return variable === undefined ? undefined : { kind: "env", variable };
}

async function list(io: Io, common: Common): Promise<void> {
  await withClient(io, common, async (client) => {
    const { items } = await listSecrets(client);
    printList(io, common, items, SHAPE, "There are no secrets yet. Set one: runtime secrets set KEY");
  });
}

interface SetSecret {
  key: string;
  source: SecretSource | undefined;
  description: string | undefined;
}

async function set(io: Io, common: Common, { key, source, description }: SetSecret): Promise<void> {
  await checkSecretKey(key);
  const value = await secretFrom(io, source, "The value");
  await withClient(io, common, async (client) => {
    printRecord(io, common, await setSecret(client, key, { value, ...given({ description }) }), SHAPE);
  });
}

async function remove(io: Io, common: Common, { key }: { key: string }): Promise<void> {
  await withClient(io, common, async (client) => {
    await deleteSecret(client, key);
    printDeleted(io, common, key);
    io.note(`The secret ${key} is deleted.`);
  });
}
