// `runtime models`: servers of language models that chat completions may use. Their keys go in and never come out.
import type { ModelEntry, RunnableTools } from "../../src/llm";
import { withClient } from "../client/client";
import {
  createEntry,
  deleteEntry,
  getEntry,
  listEntries,
  runnableTools,
  updateEntry,
} from "../client/models";
import { type Common, type FlagSpec, given, type Line, type Noun, verb } from "../command";
import { UsageError } from "../errors";
import type { Io } from "../io";
import { printDeleted, printList, printRecord, type Shape } from "../output";
import { type SecretSource, secretFrom, sourceOf } from "../secret-value";

const TYPES = ["openai", "anthropic"] as const;

const SERVER_FLAGS: readonly FlagSpec[] = [
  { flag: "--base-url <address>", meaning: "base address, with the version: http://127.0.0.1:11434/v1" },
  {
    flag: "--model <name>",
    meaning: "a model that it serves; may be repeated, the best one first",
    repeat: true,
  },
  { flag: "--api-key-stdin", meaning: "read its key from standard input" },
  { flag: "--api-key-file <file>", meaning: "read its key from a file" },
  { flag: "--api-key-env <variable>", meaning: "take its key from an environment variable" },
  { flag: "--chat-endpoint <path>", meaning: "path below the base address, where it is another" },
  { flag: "--api-version <version>", meaning: "of anthropic: version of the protocol" },
  { flag: "--max-tokens <count>", meaning: "of anthropic: limit of an answer whose request names none" },
];

export const models: Noun = {
  name: "models",
  summary: "servers of language models",
  verbs: [
    verb({
      usage: "list",
      summary: "List the model entries, those of the configuration first. Keys show only that they are set.",
      examples: ["runtime models list", "runtime models list -o json"],
      read: () => ({}),
      run: list,
    }),
    verb({
      usage: "show <id>",
      summary: "Show one model entry.",
      examples: ["runtime models show local"],
      read: (line) => ({ id: line.word(0) }),
      run: show,
    }),
    verb({
      usage: "create <id>",
      summary:
        "Add a server of models: any that speaks chat completions (hosted, or on this machine), or the messages protocol.",
      examples: [
        "runtime models create local --type openai --base-url http://127.0.0.1:11434/v1 --model llama3",
        "runtime models create openai --type openai --model gpt-4o --api-key-env OPENAI_API_KEY",
        "runtime models create claude --type anthropic --model claude-sonnet-4-5 --api-key-stdin < key",
      ],
      flags: [{ flag: "--type <type>", meaning: "what it speaks: openai or anthropic" }, ...SERVER_FLAGS],
      read: (line) => ({ id: line.word(0), type: typeIn(line), key: keyIn(line), fields: fieldsIn(line) }),
      run: create,
    }),
    verb({
      usage: "update <id>",
      summary: "Change what is given of a stored entry. The list of models is replaced whole.",
      examples: [
        "runtime models update local --model llama3 --model qwen3",
        "runtime models update openai --api-key-env OPENAI_API_KEY",
      ],
      flags: [...SERVER_FLAGS, { flag: "--no-api-key", meaning: "remove its key" }],
      read: (line) => ({
        id: line.word(0),
        key: keyIn(line),
        removesKey: !line.given("api-key"),
        fields: fieldsIn(line),
      }),
      run: update,
    }),
    verb({
      usage: "delete <id>",
      summary: "Delete a stored entry.",
      examples: ["runtime models delete local"],
      read: (line) => ({ id: line.word(0) }),
      run: remove,
    }),
    verb({
      usage: "tools [allowed]",
      summary:
        "Say which tools chat completions of the project may run on the server: all, or read_only. Without a word: show it.",
      examples: ["runtime models tools", "runtime models tools read_only"],
      read: (line) => ({ allowed: allowedIn(line) }),
      run: tools,
    }),
  ],
};

const SHAPE: Shape<ModelEntry> = {
  name: ({ id }) => id,
  optional: ["api_version", "max_tokens", "created_at", "updated_at"],
  columns: [
    { title: "id", value: ({ id }) => id },
    { title: "type", value: ({ type }) => type },
    { title: "models", value: ({ models: names }) => names.join(", ") || "any" },
    { title: "address", value: ({ base_url: base, chat_endpoint: path }) => base + path },
    { title: "key", value: ({ api_key: key }) => (key.exists ? "set" : "none") },
    { title: "from", value: ({ binding }) => (binding.type === "static" ? "configuration" : "stored") },
  ],
};

interface Fields {
  base_url: string | undefined;
  chat_endpoint: string | undefined;
  models: string[] | undefined;
  api_version: string | undefined;
  max_tokens: number | undefined;
}

function fieldsIn(line: Line): Fields {
  return {
    base_url: line.text("base-url"),
    chat_endpoint: line.text("chat-endpoint"),
    models: line.texts("model"),
    api_version: line.text("api-version"),
    max_tokens: line.integer("max-tokens", 1),
  };
}

function typeIn(line: Line): (typeof TYPES)[number] {
  const type = line.choice("type", TYPES);
  if (type !== undefined) return type;
  throw new UsageError("--type says what the server speaks: openai or anthropic.");
}

function keyIn(line: Line): SecretSource | undefined {
  const file = line.text("api-key-file");
  const variable = line.text("api-key-env");
  return sourceOf([
    line.given("api-key-stdin") ? { kind: "stdin" } : undefined,
    file === undefined ? undefined : { kind: "file", file },
    variable === undefined ? undefined : { kind: "env", variable },
  ]);
}

function allowedIn(line: Line): RunnableTools | undefined {
  const word = line.optionalWord(0);
  if (word === undefined || word === "all" || word === "read_only") return word;
  throw new UsageError("runtime models tools takes all or read_only.");
}

/** A server without a key is no mistake: many on the own machine want none. */
function keyFrom(io: Io, source: SecretSource | undefined): Promise<string> | undefined {
  return source === undefined ? undefined : secretFrom(io, source, "The key");
}

function list(io: Io, common: Common): Promise<void> {
  return withClient(io, common, async (client) => {
    const { items } = await listEntries(client);
    printList(io, common, items, SHAPE, "There are no models yet. Add one: runtime models create --help");
  });
}

function show(io: Io, common: Common, { id }: { id: string }): Promise<void> {
  return withClient(io, common, async (client) => {
    printRecord(io, common, await getEntry(client, id), SHAPE);
  });
}

interface CreateModel {
  id: string;
  type: (typeof TYPES)[number];
  key: SecretSource | undefined;
  fields: Fields;
}

async function create(io: Io, common: Common, { id, type, key, fields }: CreateModel): Promise<void> {
  const api_key = await keyFrom(io, key);
  const { models: names, ...server } = fields;
  const request = { id, ...given({ models: names }), [type]: given({ ...server, api_key }) };
  await withClient(io, common, async (client) => {
    printRecord(io, common, await createEntry(client, request), SHAPE);
    io.note(`Try it: runtime chat --model ${id}${names === undefined ? "/MODEL" : ""} "Hello"`);
  });
}

interface UpdateModel {
  id: string;
  key: SecretSource | undefined;
  removesKey: boolean;
  fields: Fields;
}

async function update(io: Io, common: Common, { id, key, removesKey, fields }: UpdateModel): Promise<void> {
  const api_key = removesKey ? "" : await keyFrom(io, key);
  const request = given({ ...fields, api_key });
  if (Object.keys(request).length === 0)
    throw new UsageError("Say what to change: runtime models update --help");
  await withClient(io, common, async (client) => {
    printRecord(io, common, await updateEntry(client, id, request), SHAPE);
  });
}

function remove(io: Io, common: Common, { id }: { id: string }): Promise<void> {
  return withClient(io, common, async (client) => {
    await deleteEntry(client, id);
    printDeleted(io, common, id);
    io.note(`The model entry ${id} is deleted.`);
  });
}

function tools(io: Io, common: Common, { allowed }: { allowed: RunnableTools | undefined }): Promise<void> {
  return withClient(io, common, async (client) => {
    const runnable = await runnableTools(client, allowed);
    const shape: Shape<typeof runnable> = {
      name: (record) => record.tools,
      columns: [{ title: "tools", value: (record) => record.tools }],
    };
    printRecord(io, common, runnable, shape);
    if (allowed === "all" && runnable.tools !== "all")
      io.note("The deployment allows only tools that read (llm.tools).");
  });
}
