// `runtime secrets`: values that tools need. They can be written but not read, and are never arguments.
import type { StoredSecret } from "../../src/secrets";
import { clientVerb, withClient } from "../client/client";
import { checkSecretKey, deleteSecret, findSecret, listSecrets, setSecret } from "../client/secrets";
import { type Common, defined, type Line, verb } from "../command";
import { UsageError } from "../errors";
import type { Io } from "../io";
import { printRecord, type Shape } from "../output";
import { deleteVerb, listVerb } from "../record-verbs";
import { type SecretSource, secretFrom, sourceOf } from "../secret-value";

const SHAPE: Shape<StoredSecret> = {
  name: ({ key }) => key,
  optional: ["description", "last_accessed_at"],
  columns: [
    { title: "key", keep: "always", value: ({ key }) => key },
    { title: "description", value: ({ description }) => description },
    { title: "updated", keep: "whole", value: ({ updated_at }) => updated_at },
    { title: "last read", keep: "whole", value: ({ last_accessed_at }) => last_accessed_at ?? "never" },
    { title: "id", keep: "always", value: ({ id }) => id },
  ],
};

export const verbs = [
  listVerb({
    summary: "List the stored secrets, without their values.",
    examples: ["runtime secrets list", "runtime secrets list -o name"],
    find: async (client) => (await listSecrets(client)).items,
    shape: SHAPE,
    empty: "There are no secrets yet. Set one: runtime secrets set KEY",
  }),
  clientVerb({
    usage: "show <key>",
    summary: "Show one secret by its key or id, without its value.",
    examples: ["runtime secrets show VENDOR_TOKEN"],
    read: (line) => ({ key: line.word(0) }),
    run: async ({ io, common, client }, { key }) =>
      printRecord(io, common, await findSecret(client, key), SHAPE),
  }),
  verb({
    usage: "set <key> [-]",
    summary:
      "Set a secret. The value is requested at a terminal, or with - read from standard input without its last line " +
      "end. Do not pass secrets as arguments; other users can see them.",
    examples: [
      "runtime secrets set VENDOR_TOKEN",
      "pass show vendor | runtime secrets set VENDOR_TOKEN -",
      "runtime secrets set VENDOR_SERVER_URL --from-env VENDOR_SERVER_URL",
    ],
    flags: [
      { flag: "--from-file <file>", meaning: "read the value from a file, without its last line end" },
      { flag: "--from-env <variable>", meaning: "take the value of an environment variable" },
      { flag: "--description <text>", meaning: "what the secret is for" },
    ],
    read: (line) => ({
      key: line.word(0),
      source: sourceIn(line),
      description: line.text("description"),
    }),
    run: set,
  }),
  deleteVerb({
    usage: "delete <key>",
    summary: "Delete a secret by its key or id.",
    examples: ["runtime secrets delete VENDOR_TOKEN"],
    find: async (client, word) => {
      const { items } = await listSecrets(client);
      // The server decides which key a word means, and answers an unknown one.
      const name = items.find(({ id }) => id === word)?.key ?? word;
      return {
        id: word,
        name,
        question: `Delete the secret ${name}? Tools that need it stop working.`,
        done: `The secret ${name} is deleted.`,
      };
    },
    remove: deleteSecret,
  }),
];

function sourceIn(line: Line): SecretSource | undefined {
  const word = line.optionalWord(1);
  if (word !== undefined && word !== "-") {
    throw new UsageError(
      "Do not pass secrets as arguments; other users can see them. Use - (standard input), --from-file or --from-env.",
    );
  }
  return sourceOf(word === "-", line.text("from-file"), line.text("from-env"));
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
    printRecord(io, common, await setSecret(client, key, { value, ...defined({ description }) }), SHAPE);
  });
}
