// A conversation: streams the text of the model, runs its tool calls in order, and reads the next message.
import { type Client, userOf, withClient } from "./client/client";
import { publishedModels, streamChat } from "./client/models";
import { type Common, defined } from "./command";
import { counted } from "./counted";
import { UsageError } from "./errors";
import type { Io } from "./io";
import { print } from "./output";
import { printableLines } from "./printable";
import { answerCall } from "./conversation-tools";
import { type Offered, offeredTools } from "./offered-tools";

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

export interface Conversation {
  io: Io;
  common: Common;
  client: Client;
  options: ChatOptions;
  model: string;
  user: string | undefined;
  offered: Offered;
  messages: { role: string; [field: string]: unknown }[];
}

const HELP = "/exit, /quit or Ctrl-C: end. Everything else is a message to the model.";

/** The limit of rounds of tool calls before the model must answer. */
const MOST_ROUNDS = 16;

export async function converse(io: Io, common: Common, options: ChatOptions): Promise<void> {
  const first = await firstMessage(io, options.message);
  await withClient(io, common, async (client) => {
    const offered = await offeredTools(client, options);
    const conversation: Conversation = {
      io,
      common,
      client,
      options,
      model: options.model ?? (await firstModel(client)),
      // The user is required only if there are tools.
      user: offered.names.length === 0 ? options.user : userOf(client, options.user),
      offered,
      messages: options.system === undefined ? [] : [{ role: "system", content: options.system }],
    };
    if (first !== undefined) return answer(conversation, first);
    io.note(
      `Talking to ${conversation.model}, with ${counted(offered.names.length, "tool")}. /help shows what you can type.`,
    );
    for (;;) {
      const message = await io.prompts.ask("You:");
      if (message === "/exit" || message === "/quit") return;
      // A command must not reach the model, which would answer it.
      if (/^\/\w+$/.test(message)) {
        io.note(message === "/help" ? HELP : `${message} is not a command. ${HELP}`);
        continue;
      }
      await answer(conversation, message);
    }
  });
}

async function firstMessage(io: Io, word: string | undefined): Promise<string | undefined> {
  if (word === undefined) {
    if (io.interactive) return undefined;
    throw new UsageError(
      "A conversation needs a terminal. Without one, pass the message, or - to read it from standard input.",
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

/** Handles one message of the user, with the tool calls that follow. */
async function answer(conversation: Conversation, message: string): Promise<void> {
  const { io, common, messages } = conversation;
  messages.push({ role: "user", content: message });
  const begin = messages.length;
  let text = "";
  for (let round = 1; round <= MOST_ROUNDS; round++) {
    const said = await turn(conversation);
    text = said.text;
    const { assistantMessage, withIds } = await import("../src/llm");
    const requested = withIds(said.calls, () => `call_${crypto.randomUUID().slice(0, 8)}`);
    messages.push(assistantMessage(said, requested));
    if (requested.length === 0) break;
    for (const call of requested) messages.push(await answerCall(conversation, call));
  }
  if (common.output === "table" || common.output === "name") return;
  const reply = messages.slice(begin);
  print(io, common.output, { model: conversation.model, content: text, messages: reply }, () => "");
}

async function turn({ io, common, client, model, user, offered, messages }: Conversation) {
  const { readTurn } = await import("../src/llm");
  const events = await streamChat(client, {
    model,
    messages,
    stream: true,
    ...defined({ user }),
    ...(offered.names.length === 0 ? {} : { tools: offered.names }),
  });
  const prints = common.output === "table";
  const reading = readTurn(events, (name) => offered.find(name) !== undefined);
  for (;;) {
    const next = await reading.next();
    if (next.done === true) {
      if (prints && next.value.text !== "") io.out("\n");
      return next.value;
    }
    const { content } = next.value.delta;
    if (prints && typeof content === "string") io.out(printableLines(content));
  }
}
