// Servers whose wall clock is set while they run, and before they start.
import { expect } from "bun:test";
import { until } from "../connections/executing";
import { type ChatSandbox, startChatSandbox } from "../sandbox/chat";
import { api, at, call } from "../support/api";
import { Browser } from "../support/browser";
import { Installation, type RunningServer } from "../support/runtime-process";
import { testWithClock, WallClock } from "../support/wall-clock";

const MINUTE_S = 60;
const DAY_S = 24 * 3600;
/** How often a server looks for due runs, and some more. */
const LOOK_MS = 1500;
/** Longer than a holder of a run is watched. */
const WATCH_MS = 20_000;

interface Stage extends AsyncDisposable {
  clock: WallClock;
  chat: ChatSandbox;
  installation: Installation;
  key: string;
}

/** An installation on a clock of its own, with the consent of alice. */
async function stage(): Promise<Stage> {
  const clock = new WallClock();
  const chat = await startChatSandbox({ rotation: { expiresIn: 3600 } });
  const installation = new Installation(chat);
  Object.assign(installation.environment, clock.environment);
  await installation.addChatProvider(chat);
  const key = await installation.key("run");
  {
    await using server = await installation.serve();
    const started = await api(server.address, key).post("/v1/tools/authorize", send("consent"));
    await new Browser().consent(String(at(started.body, "url")), "alice");
  }
  return {
    clock,
    chat,
    installation,
    key,
    [Symbol.asyncDispose]: async () => {
      await installation[Symbol.asyncDispose]();
      await chat[Symbol.asyncDispose]();
    },
  };
}

function send(message: string, conversation_id = "general", run_at?: string) {
  const request = { tool_name: "Chat.SendMessage", user_id: "alice", input: { conversation_id, message } };
  return run_at === undefined ? request : { ...request, run_at };
}

function execute({ address }: RunningServer, { key, chat }: Stage, message: string, idempotencyKey?: string) {
  const headers = idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey };
  const body = send(message, chat.channels.general.id);
  return call(address, { method: "POST", path: "/v1/tools/execute", key, body, headers });
}

async function schedule({ address }: RunningServer, { key, chat }: Stage, message: string, run_at: string) {
  const body = send(message, chat.channels.general.id, run_at);
  return String(at((await api(address, key).post("/v1/tools/execute", body)).body, "id"));
}

/** The messages that these tests have sent. */
async function sent({ chat }: Stage): Promise<string[]> {
  const texts = (await chat.messages(chat.channels.general.id)).map(({ text }) => text);
  return texts.filter((text) => text.startsWith("clock "));
}

testWithClock(
  "a token is refreshed when the clock is set ahead, and works when it is set back",
  async () => {
    await using on = await stage();
    await using server = await on.installation.serve();
    const answers = [];
    for (const ahead of [0, 100 * DAY_S, 0, -DAY_S, 0]) {
      on.clock.set(ahead);
      answers.push(at((await execute(server, on, `clock ${ahead}`)).body, "success"));
    }

    expect(answers).toEqual([true, true, true, true, true]);
    expect(on.chat.calls("refresh")).toBeGreaterThan(0);
  },
  60_000,
);

testWithClock(
  "an Idempotency-Key has one effect when the clock is set, also before another server starts",
  async () => {
    await using on = await stage();
    const first = await on.installation.serve();
    const answer = (await execute(first, on, "clock once", "one-key")).body;
    on.clock.set(100 * DAY_S);
    const ahead = (await execute(first, on, "clock once", "one-key")).body;
    await first[Symbol.asyncDispose]();
    await using second = await on.installation.serve();
    const restarted = (await execute(second, on, "clock once", "one-key")).body;
    on.clock.set(-DAY_S);
    const behind = (await execute(second, on, "clock once", "one-key")).body;

    expect(at(answer, "success")).toBe(true);
    expect([ahead, restarted, behind]).toEqual([answer, answer, answer]);
    expect(await sent(on)).toEqual(["clock once"]);
  },
  60_000,
);

testWithClock(
  "a run is not begun before its time, and begins when the clock is set to it",
  async () => {
    await using on = await stage();
    await using server = await on.installation.serve();
    const tomorrow = new Date(Date.now() + DAY_S * 1000).toISOString();
    const id = await schedule(server, on, "clock tomorrow", tomorrow);
    await Bun.sleep(LOOK_MS);
    const before = await sent(on);
    on.clock.set(DAY_S + MINUTE_S);
    await until(async () => (await status(on, id)) === "completed");

    expect(before).toEqual([]);
    expect(await sent(on)).toEqual(["clock tomorrow"]);
  },
  60_000,
);

testWithClock(
  "a run under way goes on when the clock is set, and another server does not give it up",
  async () => {
    const outcomes = await Promise.all([100 * DAY_S, -DAY_S].map(setDuringRun));

    expect(outcomes).toEqual([
      ["completed", 1],
      ["completed", 1],
    ]);
  },
  90_000,
);

/** The status of the run, and how often its request was sent. */
async function setDuringRun(ahead: number): Promise<[unknown, number]> {
  await using on = await stage();
  await using first = await on.installation.serve();
  await using _second = await on.installation.serve();
  on.chat.fail("chat.postMessage", { kind: "delay", ms: WATCH_MS });
  const id = await schedule(first, on, "clock slow", "2020-01-01T00:00:00");
  await until(() => on.chat.calls("chat.postMessage") === 1);
  on.clock.set(ahead);
  await until(async () => (await status(on, id)) !== "running");
  return [await status(on, id), on.chat.calls("chat.postMessage")];
}

testWithClock(
  "the execution log keeps its entries when a server starts with the clock ahead",
  async () => {
    await using on = await stage();
    {
      await using server = await on.installation.serve();
      await execute(server, on, "clock before");
    }
    on.clock.set(400 * DAY_S);
    {
      await using server = await on.installation.serve();
      await execute(server, on, "clock ahead");
    }
    on.clock.set(0);
    const log = await on.installation.json(["executions", "list"]);

    expect(log).toHaveLength(2);
  },
  60_000,
);

async function status({ installation }: Stage, id: string): Promise<unknown> {
  return at(await installation.json(["scheduled", "show", id]), "execution_status");
}
