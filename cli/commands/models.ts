// `runtime models`: servers of language models for chat completions. Their keys can be written but not read.
import type { ModelEntry } from "../../src/llm";
import { clientVerb, withClient } from "../client/client";
import {
  createEntry,
  deleteEntry,
  getEntry,
  listEntries,
  runnableTools,
  updateEntry,
} from "../client/models";
import { type FlagSpec, defined, type Line, oneOf, verb, withDefaults } from "../command";
import { UsageError } from "../errors";
import type { Io } from "../io";
import { printRecord, type Shape } from "../output";
import { deleteVerb, listVerb, showVerb } from "../record-verbs";
import { type SecretSource, secretFrom, sourceOf } from "../secret-value";

const TYPES = ["openai", "anthropic"] as const;

const SERVER_FLAGS: readonly FlagSpec[] = [
  { flag: "--base-url <address>", meaning: "base address, with the version: http://127.0.0.1:11434/v1" },
  {
    flag: "--model <name>",
    meaning: "a model of the server; may be repeated, the best one first",
    repeat: true,
  },
  { flag: "--api-key-stdin", meaning: "read its key from standard input" },
  { flag: "--api-key-file <file>", meaning: "read its key from a file" },
  { flag: "--api-key-env <variable>", meaning: "take its key from an environment variable" },
  { flag: "--chat-endpoint <path>", meaning: "path below the base address, if it is not the usual one" },
  {
    flag: "--responses-endpoint <path>",
    meaning:
      "openai only: path where the server speaks the Responses protocol itself, for example /responses",
  },
  { flag: "--embeddings-endpoint <path>", meaning: "openai only: path of embeddings" },
  { flag: "--api-version <version>", meaning: "anthropic only: version of the protocol" },
  {
    flag: "--limit-field <field>",
    meaning: "openai only: max_tokens or max_completion_tokens, whichever the server takes",
  },
  { flag: "--max-tokens <count>", meaning: "anthropic only: limit of an answer if the request has none" },
];

const SHAPE: Shape<ModelEntry> = {
  name: ({ id }) => id,
  optional: [
    "responses_endpoint",
    "embeddings_endpoint",
    "api_version",
    "max_tokens",
    "limit_field",
    "created_at",
    "updated_at",
  ],
  columns: [
    { title: "id", keep: "always", value: ({ id }) => id },
    { title: "type", keep: "whole", value: ({ type }) => type },
    { title: "models", value: ({ models }) => models.join(", ") || "any" },
    { title: "address", value: ({ base_url, chat_endpoint }) => base_url + chat_endpoint },
    { title: "key", keep: "whole", value: ({ api_key }) => (api_key.exists ? "set" : "none") },
    { title: "from", value: ({ binding }) => (binding.type === "static" ? "configuration" : "stored") },
  ],
};

export const verbs = [
  listVerb({
    summary: "List the model entries, those of the configuration first. Keys are shown only as set or not.",
    examples: ["runtime models list", "runtime models list -o json"],
    find: async (client) => (await listEntries(client)).items,
    shape: SHAPE,
    empty: "There are no models yet. Add one: runtime models create --help",
  }),
  showVerb({
    summary: "Show one model entry.",
    examples: ["runtime models show local"],
    find: getEntry,
    shape: SHAPE,
  }),
  verb({
    usage: "create <id>",
    summary:
      "Add a server of models: any that supports chat completions (hosted, or on this machine) or the messages protocol.",
    examples: [
      "runtime models create local --type openai --base-url http://127.0.0.1:11434/v1 --model llama3",
      "runtime models create openai --type openai --model gpt-4o --api-key-env OPENAI_API_KEY",
      "runtime models create claude --type anthropic --model claude-sonnet-4-5 --api-key-stdin < key",
    ],
    flags: [
      { flag: "--type <type>", meaning: "protocol: openai or anthropic" },
      ...withDefaults(SERVER_FLAGS, { "--embeddings-endpoint <path>": "/embeddings" }),
    ],
    read: (line) => ({ id: line.word(0), type: typeIn(line), key: keyIn(line), fields: fieldsIn(line) }),
    run: async (io, common, { id, type, key, fields }) => {
      const api_key = await keyFrom(io, key);
      const { models, ...server } = fields;
      const request = { id, ...defined({ models }), [type]: defined({ ...server, api_key }) };
      await withClient(io, common, async (client) => {
        printRecord(io, common, await createEntry(client, request), SHAPE);
        io.note(`Try it: runtime chat --model ${id}${models === undefined ? "/MODEL" : ""} "Hello"`);
      });
    },
  }),
  verb({
    usage: "update <id>",
    summary: "Change the given fields of a stored entry. The list of models is replaced as a whole.",
    examples: [
      "runtime models update local --model llama3 --model qwen3",
      "runtime models update openai --api-key-env OPENAI_API_KEY",
    ],
    flags: [...SERVER_FLAGS, { flag: "--no-api-key", meaning: "remove its key" }],
    read: (line) => ({
      id: line.word(0),
      key: keyIn(line),
      removesKey: !line.has("api-key"),
      fields: fieldsIn(line),
    }),
    run: async (io, common, { id, key, removesKey, fields }) => {
      const api_key = removesKey ? "" : await keyFrom(io, key);
      const request = defined({ ...fields, api_key });
      if (Object.keys(request).length === 0)
        throw new UsageError("Nothing to change. See: runtime models update --help");
      await withClient(io, common, async (client) =>
        printRecord(io, common, await updateEntry(client, id, request), SHAPE),
      );
    },
  }),
  clientVerb({
    usage: "test <id>",
    summary:
      "Ask the server of an entry for a short answer, and show it. It is billed like any other request.",
    examples: ["runtime models test local", "runtime models test local --model llama3"],
    flags: [{ flag: "--model <name>", meaning: "model of the server (default: the first one of the entry)" }],
    read: (line) => ({ id: line.word(0), model: line.text("model") }),
    run: async (call, { id, model }) => {
      const { testModel } = await import("../model-test");
      return testModel(call, id, model);
    },
  }),
  deleteVerb({
    summary: "Delete a stored entry.",
    examples: ["runtime models delete local"],
    find: async (client, word) => {
      const { id, models } = await getEntry(client, word);
      const offers = models.length === 0 ? "" : ` (${models.join(", ")})`;
      return {
        id,
        name: id,
        question: `Delete the model entry ${id}${offers} with its key?`,
        done: `The model entry ${id} is deleted.`,
      };
    },
    remove: deleteEntry,
  }),
  clientVerb({
    usage: "tools [allowed]",
    summary:
      "Set which tools chat completions of the project may run on the server: all, or read_only. Without a word: show it.",
    examples: ["runtime models tools", "runtime models tools read_only"],
    read: (line) => ({
      allowed: oneOf(line.optionalWord(0), ["all", "read_only"], "The argument"),
    }),
    run: async ({ io, common, client }, { allowed }) => {
      const runnable = await runnableTools(client, allowed);
      const { tools } = runnable;
      printRecord(io, common, runnable, {
        name: () => tools,
        columns: [{ title: "tools", value: () => tools }],
      });
      if (allowed === "all" && tools !== "all")
        io.note("The deployment allows only tools that read (llm.tools).");
    },
  }),
];

function fieldsIn(line: Line) {
  return {
    base_url: line.text("base-url"),
    chat_endpoint: line.text("chat-endpoint"),
    responses_endpoint: line.text("responses-endpoint"),
    embeddings_endpoint: line.text("embeddings-endpoint"),
    models: line.texts("model"),
    api_version: line.text("api-version"),
    max_tokens: line.integer("max-tokens", 1),
    limit_field: line.choice("limit-field", ["max_tokens", "max_completion_tokens"] as const),
  };
}

function typeIn(line: Line): (typeof TYPES)[number] {
  const type = line.choice("type", TYPES);
  if (type !== undefined) return type;
  throw new UsageError("--type is required: openai or anthropic.");
}

function keyIn(line: Line): SecretSource | undefined {
  return sourceOf(line.has("api-key-stdin"), line.text("api-key-file"), line.text("api-key-env"));
}

/** A key is optional: many local servers do not need one. */
async function keyFrom(io: Io, source: SecretSource | undefined): Promise<string | undefined> {
  return source === undefined ? undefined : secretFrom(io, source, "The key");
}
