// Many runs that become due together, two servers on one database, and repeated kill -9 of one of them.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { extensions } from "../../catalogs";
import { silentLog } from "../../src/base";
import { loadConfig } from "../support/config";
import { createRuntime, type Runtime } from "../../src/runtime";
import { query } from "../../src/store";
import type { ToolExecutionDetail } from "../../src/tools/schedule/schema";
import { type ChatSandbox, startChatSandbox } from "../sandbox/chat";
import { api, at } from "../support/api";
import { Browser } from "../support/browser";
import { chatProvider } from "../sandbox/chat";
import { randomOf } from "../support/long";
import { Servers } from "./scheduled-servers";

/** All runs are scheduled in an hour: one move of the clocks makes them due. */
const HOUR_MS = 3600_000;
const LAPSED_MS = 16_000;
/** Response time of the platform: long enough to kill a server in the middle. */
const SLOW_MS = 60;
/** Every fifth run reads, the others post a message. */
const isRead = (index: number): boolean => index % 5 === 0;
const ASKED_AT_ONCE = 50;

export interface Plan {
  runs: number;
  kills: number;
  seed: number;
  /** The URL of an empty PostgreSQL database; absent: SQLite. */
  database?: string;
  /** Default 2. */
  servers?: number;
}

export interface Drained extends Plan {
  readonly completed: number;
  /** Failed with an unknown outcome. */
  readonly unknown: number;
  /** Of those, how many had reached the platform. */
  readonly unknownButSent: number;
  /** Reads that were interrupted and repeated. */
  readonly readsRepeated: number;
  /** Anything that must not happen: a run done twice, a completed run that was not done, another failure. */
  readonly faults: readonly string[];
}

export async function drain(plan: Plan): Promise<Drained> {
  const home = mkdtempSync(join(tmpdir(), "runtime-scheduled-"));
  await using chat = await startChatSandbox();
  const environment = {
    HOME: home,
    RUNTIME_PORT: "0",
    RUNTIME_EGRESS_ALLOW: "loopback",
    RUNTIME_CHAT_API_URL: chat.apiUrl,
    ...(plan.database === undefined ? {} : { RUNTIME_DATABASE_URL: plan.database }),
  };
  // Not a server: it prepares and checks, and runs nothing.
  const runtime = await createRuntime(loadConfig({ environment }), extensions, { log: silentLog });
  await using servers = new Servers(environment);
  const unfinished = async (status: string): Promise<number> =>
    (await runtime.core.store.get(COUNT, status))?.count ?? 0;
  try {
    const ids = await ask(runtime, chat, await servers.start(), plan.runs);
    chat.clearRequests();
    for (const method of ["chat.postMessage", "users.info"])
      chat.fail(method, { kind: "delay", ms: SLOW_MS }, plan.runs * 2);
    for (let server = 1; server < (plan.servers ?? 2); server++) await servers.start();
    await servers.move(HOUR_MS);
    await killAtRandom(chat, servers, plan);
    // Remaining runs have lost their servers: they end only after their leases expire.
    await until(async () => (await unfinished("pending")) === 0);
    await Bun.sleep(SLOW_MS * 5);
    await servers.move(HOUR_MS + LAPSED_MS);
    await until(async () => (await unfinished("pending")) + (await unfinished("running")) === 0);
    return await judge(runtime, chat, ids, plan);
  } finally {
    await runtime.close();
    rmSync(home, { recursive: true, force: true });
  }
}

const COUNT = query<{ count: number }>("SELECT COUNT(*) AS count FROM scheduled_runs WHERE status = ?");

/** One line for standard output. */
export function sentenceOf(drained: Drained): string {
  const { runs, kills, completed, unknown, unknownButSent, readsRepeated, faults } = drained;
  return (
    `${runs} due runs, ${kills} kills of a server: ${completed} completed, ${unknown} cut off with unknown outcome ` +
    `(${unknownButSent} of them had reached the platform), ${readsRepeated} reads done again, ${faults.length} faults\n`
  );
}

/** Ids of the runs, in order. */
async function ask(runtime: Runtime, chat: ChatSandbox, address: string, runs: number): Promise<string[]> {
  const operator = await runtime.identity.operator("default");
  await runtime.providers.create(operator, chatProvider(chat));
  const { key } = await runtime.identity.createKey(operator, { name: "agent", role: "run" });
  const client = api(address, key);
  const started = await client.post("/v1/tools/authorize", {
    tool_name: "Chat.SendMessage",
    user_id: "alice",
  });
  await new Browser().consent(String(at(started.body, "url")), "alice");
  const run_at = new Date(Date.now() + HOUR_MS - 1000).toISOString();
  const request = (index: number): object =>
    isRead(index)
      ? { tool_name: "Chat.WhoAmI" }
      : {
          tool_name: "Chat.SendMessage",
          input: { conversation_id: chat.channels.general.id, message: textOf(index) },
        };
  const ids: string[] = [];
  for (let from = 0; from < runs; from += ASKED_AT_ONCE) {
    const indexes = Array.from({ length: Math.min(ASKED_AT_ONCE, runs - from) }, (_, index) => from + index);
    const answers = await Promise.all(
      indexes.map((index) =>
        client.post("/v1/tools/execute", { ...request(index), user_id: "alice", run_at }),
      ),
    );
    ids.push(...answers.map(({ body }) => String(at(body, "id"))));
  }
  return ids;
}

function textOf(index: number): string {
  return `run ${index}.`;
}

async function killAtRandom(chat: ChatSandbox, servers: Servers, { runs, kills, seed }: Plan): Promise<void> {
  const random = randomOf(seed);
  const posts = Array.from({ length: runs }, (_, index) => index).filter((index) => !isRead(index)).length;
  const moments = Array.from({ length: kills }, () => Math.floor(random() * posts * 0.8)).toSorted(
    (left, right) => left - right,
  );
  for (const moment of moments) {
    await until(() => chat.calls("chat.postMessage") >= moment);
    await Bun.sleep(random() * SLOW_MS);
    await servers.replace(random());
  }
}

async function judge(
  runtime: Runtime,
  chat: ChatSandbox,
  ids: readonly string[],
  plan: Plan,
): Promise<Drained> {
  const operator = await runtime.identity.operator("default");
  const sent = new Map<string, number>();
  for (const { method, params } of chat.requests) {
    const { text = "" } = params;
    if (method === "chat.postMessage") sent.set(text, (sent.get(text) ?? 0) + 1);
  }
  let [completed, unknown, unknownButSent, readsRepeated] = [0, 0, 0, 0];
  const faults: string[] = [];
  for (const [index, id] of ids.entries()) {
    const run = await runtime.tools.scheduled.get(operator, id);
    const times = sent.get(textOf(index)) ?? 0;
    const done = run.execution_status === "completed";
    if (done) completed++;
    if (isRead(index)) {
      if (run.attempts.length > 1) readsRepeated++;
      if (!done) faults.push(`${id} reads and ended ${run.execution_status}`);
      continue;
    }
    if (times > 1) faults.push(`${id} was sent ${times} times`);
    if (done && times !== 1) faults.push(`${id} is completed and was sent ${times} times`);
    if (done) continue;
    if (isUnknown(run)) unknown++;
    else faults.push(`${id} ended otherwise: ${JSON.stringify(run.attempts)}`);
    if (times > 0) unknownButSent++;
  }
  return { ...plan, completed, unknown, unknownButSent, readsRepeated, faults };
}

function isUnknown({ execution_status, attempts }: ToolExecutionDetail): boolean {
  const [attempt, ...others] = attempts;
  return (
    execution_status === "failed" &&
    others.length === 0 &&
    attempt?.output?.error?.extra?.["outcome"] === "unknown" &&
    attempt.system_error_message !== undefined
  );
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + 120_000;
  while (!(await holds())) {
    if (performance.now() > giveUpAt) throw new Error("the condition was not met in time");
    await Bun.sleep(10);
  }
}
