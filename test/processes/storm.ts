// A refresh storm: four servers on one database, an expired single-use token, 200 simultaneous calls.
import { type ChatSandbox, startChatSandbox } from "../sandbox/chat";
import { type ApiAnswer, api, at } from "../support/api";
import { Browser } from "../support/browser";
import { Installation } from "../support/runtime-process";

const SERVERS = 4;
const CALLS = 200;

export interface Storm {
  /** Refreshes that reached the token endpoint. */
  readonly refreshes: number;
  readonly succeeded: number;
  /** Calls with a retryable error, and how many of them succeeded on the retry. */
  readonly retryable: number;
  readonly succeededThen: number;
  /** Other errors; there must be none. */
  readonly others: readonly string[];
  /** Tokens that the platform received; only the newest is valid. */
  readonly tokens: number;
  /** Status of the connection afterwards. */
  readonly connection: unknown;
}

/** `prepare` sets the behaviour of the token endpoint. `database`: the URL of a PostgreSQL database; absent: SQLite. */
export async function storm(prepare: (chat: ChatSandbox) => void, database?: string): Promise<Storm> {
  await using chat = await startChatSandbox({ rotation: true });
  await using installation = new Installation(chat, undefined, database);
  await installation.addChatProvider(chat);
  const key = await installation.key("run");
  const first = await installation.serve();
  const others = await Promise.all(Array.from({ length: SERVERS - 1 }, () => installation.serve()));
  const clients = [first, ...others].map(({ address }) => api(address, key));
  const whoAmI = { tool_name: "Chat.WhoAmI", user_id: "alice" };
  const execute = (index: number): Promise<ApiAnswer> =>
    clientAt(clients, index).post("/v1/tools/execute", whoAmI);
  const started = await clientAt(clients, 0).post("/v1/tools/authorize", whoAmI);
  await new Browser().consent(String(at(started.body, "url")), "alice");
  await installation.expireTokens();
  chat.clearRequests();
  prepare(chat);

  const answers = await Promise.all(Array.from({ length: CALLS }, (_, index) => execute(index)));
  const retried = answers.flatMap((answer, index) => (saysRetry(answer) ? [index] : []));
  const again = await Promise.all(retried.map(execute));

  const listed = await installation.json(["connections", "list", "--user", "alice"]);
  return {
    refreshes: chat.calls("refresh"),
    succeeded: answers.filter(isSuccess).length,
    retryable: retried.length,
    succeededThen: again.filter(isSuccess).length,
    others: answers.filter((answer) => !isSuccess(answer) && !saysRetry(answer)).map(({ text }) => text),
    tokens: new Set(chat.requests.flatMap(({ method, token }) => (method === "users.info" ? [token] : [])))
      .size,
    connection: at(listed, "0.connection_status"),
  };
}

/** One line for standard output. */
export function sentenceOf(name: string, { refreshes, succeeded, retryable, succeededThen }: Storm): string {
  const retries = retryable === 0 ? "" : `, ${retryable} retryable, ${succeededThen} succeeded on the retry`;
  return `refresh storm, ${name}: ${refreshes} refreshes, ${succeeded} successes of ${CALLS}${retries}\n`;
}

function isSuccess({ status, body }: ApiAnswer): boolean {
  return status === 200 && at(body, "success") === true && at(body, "output.value.username") === "alice";
}

/** A temporary failure: the answer itself says so. */
function saysRetry({ status, body }: ApiAnswer): boolean {
  return status === 200 && at(body, "output.error.can_retry") === true;
}

function clientAt(clients: readonly ReturnType<typeof api>[], index: number): ReturnType<typeof api> {
  const client = clients[index % clients.length];
  if (client === undefined) throw new Error("there is no server");
  return client;
}
