// A conversation: the model's text as it comes, its calls one by one, and the next message of the person.
import type { Client } from "./client/client";
import { withClient } from "./client/client";
import { publishedModels, streamChat } from "./client/models";
import type { Common } from "./command";
import { UsageError } from "./errors";
import type { Io } from "./io";
import { print } from "./output";
import { printableLines } from "./printable";
import { answerCall } from "./conversation-tools";
import { type Offered, offeredTools } from "./offered-tools";
import { userOf } from "./user";

export interface ChatOptions {
  message: string | undefined;
  model: string | undefined;
  user: string | undefined;
  toolkits: readonly string[];
  tools: readonly string[];
  offersNone: boolean;
  system: string | undefined;
  yes: boolean;
  browser: boolean;
}

export interface Talk {
  io: Io;
  common: Common;
  client: Client;
  options: ChatOptions;
  model: string;
  user: string | undefined;
  offered: Offered;
  messages: { role: string; [field: string]: unknown }[];
}

/** So often a model may call tools before it has to answer. */
const MOST_ROUNDS = 16;

export async function converse(io: Io, common: Common, options: ChatOptions): Promise<void> {
  const first = await firstMessage(io, options.message);
  await withClient(io, common, async (client) => {
    const offered = await offeredTools(client, options);
    const talk: Talk = {
      io,
      common,
      client,
      options,
      model: options.model ?? (await firstModel(client)),
      // Whom tools run for need only be known where there are tools.
      user: offered.names.length === 0 ? options.user : userOf(client, options.user),
      offered,
      messages: options.system === undefined ? [] : [{ role: "system", content: options.system }],
    };
    if (first !== undefined) return answer(talk, first);
    io.note(`Talking to ${talk.model}, with ${offered.names.length} tools. /exit or Ctrl-C ends.`);
    for (;;) {
      const message = await io.prompts.ask("You:");
      if (message === "/exit" || message === "/quit") return;
      await answer(talk, message);
    }
  });
}

async function firstMessage(io: Io, word: string | undefined): Promise<string | undefined> {
  if (word === undefined) {
    if (io.interactive) return undefined;
    throw new UsageError(
      "There is no terminal to talk at. Give the message, or - to read it from standard input.",
    );
  }
  if (word !== "-") return word;
  const { readText, withoutLineEnd } = await import("./input");
  return withoutLineEnd(await readText(io, "-", "The message"));
}

async function firstModel(client: Client): Promise<string> {
  const { data } = await publishedModels(client);
  const [first] = data;
  if (first !== undefined) return first.id;
  throw new UsageError("There is no language model yet. Add one: runtime models create --help");
}

/** One message of the person, and all that follows from it. */
async function answer(talk: Talk, message: string): Promise<void> {
  const { io, common, messages } = talk;
  messages.push({ role: "user", content: message });
  const begin = messages.length;
  for (let round = 1; round <= MOST_ROUNDS; round++) {
    const { text, calls } = await turn(talk);
    const { toolCall, withIds } = await import("../src/llm");
    const asked = withIds(calls, () => `call_${crypto.randomUUID().slice(0, 8)}`);
    messages.push({
      role: "assistant",
      content: text,
      ...(asked.length === 0 ? {} : { tool_calls: asked.map(toolCall) }),
    });
    if (asked.length === 0) break;
    for (const call of asked) messages.push(await answerCall(talk, call));
  }
  if (common.output === "table" || common.output === "name") return;
  const said = messages.slice(begin);
  print(
    io,
    common.output,
    { model: talk.model, content: said.at(-1)?.["content"] ?? "", messages: said },
    () => "",
  );
}

async function turn({ io, common, client, model, user, offered, messages }: Talk) {
  const { readTurn } = await import("../src/llm");
  const events = await streamChat(client, {
    model,
    messages,
    stream: true,
    ...(user === undefined ? {} : { user }),
    ...(offered.names.length === 0 ? {} : { tools: offered.names }),
  });
  const shows = common.output === "table";
  const reading = readTurn(events, (name) => offered.find(name) !== undefined);
  for (;;) {
    const next = await reading.next();
    if (next.done === true) {
      if (shows && next.value.text !== "") io.out("\n");
      return next.value;
    }
    const { content } = next.value.delta;
    if (shows && typeof content === "string") io.out(printableLines(content));
  }
}
