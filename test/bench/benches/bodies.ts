// Memory for bodies of model servers: readers that take nothing of fast streams, and large answers at the same time.
import { join } from "node:path";
import type { Bench, Context, Row } from "../bench";
import { atMost } from "../bound";
import { LOAD_CORE } from "../children";
import { startBaseline } from "../compare";
import { createDeployment, type Deployment } from "../deployment";
import { type Served, startServer } from "../server-under-test";
import { processorTime, residentMemory } from "../system";

const READERS = 50;
const ANSWERS = 8;
const SAMPLE_MS = 20;
/** A process that works less than this in a second stands still. */
const IDLE_SHARE = 0.05;
/** Until the engine has given back what it used on the way. */
const SETTLE_MS = 5000;
const GIVE_UP_MS = 60_000;

export const bodies: Bench = {
  name: "bodies",
  about: "memory that slow readers of streams and large answers add",
  run: async (context) => {
    const created = await createDeployment(join(context.folder, "bodies"), 1);
    const upstream = await startBaseline(context, "large-model", [], LOAD_CORE);
    const deployment = withModel(created, `http://127.0.0.1:${upstream.port}`);
    const rows = [
      await rowOf(context, deployment, "memory-slow-readers", 60, slowReaders),
      await rowOf(context, deployment, "memory-large-answers", 300, largeAnswers),
    ];
    await upstream.stop();
    return rows;
  },
};

function withModel(deployment: Deployment, address: string): Deployment {
  const models = [{ id: "bench", models: ["bench-model"], openai: { base_url: `${address}/v1` } }];
  return {
    ...deployment,
    environment: { ...deployment.environment, RUNTIME_MODELS: JSON.stringify(models) },
  };
}

interface Added {
  figure: number | undefined;
  note: string;
}

async function rowOf(
  context: Context,
  deployment: Deployment,
  name: string,
  bound: number,
  measure: (server: Served, key: string) => Promise<Added>,
): Promise<Row> {
  const server = await startServer(context, deployment);
  const { figure, note } = await measure(server, deployment.key);
  await server.stop();
  const row = { name, baseline: "", bound: atMost(bound, "MB"), note };
  return figure === undefined
    ? { ...row, measured: "" }
    : { ...row, measured: `${figure.toFixed(1)} MB`, figure };
}

/** What readers add that have stopped reading, after the streams stand still. */
async function slowReaders(server: Served, key: string): Promise<Added> {
  (await openReader(server, key)).terminate();
  await standstill(server);
  const before = residentMemory(server.pid);
  const readers = await Promise.all(Array.from({ length: READERS }, () => openReader(server, key)));
  const highest = await highestDuring(server.pid, standstill(server));
  const after = residentMemory(server.pid);
  for (const reader of readers) reader.terminate();
  const most = added(before, highest)?.toFixed(1) ?? "unknown";
  return { figure: added(before, after), note: `${READERS} readers; at most ${most} MB on the way` };
}

/** Waits until the server does nothing, and a little longer. */
async function standstill({ pid }: Served): Promise<void> {
  const until = performance.now() + GIVE_UP_MS;
  for (let before = -Infinity; performance.now() < until;) {
    const now = processorTime(pid);
    if (now - before < IDLE_SHARE) break;
    before = now;
    await Bun.sleep(1000);
  }
  await Bun.sleep(SETTLE_MS);
}

/** Opens a stream, and stops reading after its first bytes. */
async function openReader({ port }: Served, key: string): Promise<Bun.Socket<undefined>> {
  const body = JSON.stringify(completion({ stream: true }));
  const begun = Promise.withResolvers<Bun.Socket<undefined>>();
  await Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      open: (socket) =>
        void socket.write(
          `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n` +
            `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
        ),
      data: (socket) => {
        socket.pause();
        begun.resolve(socket);
      },
    },
  });
  return begun.promise;
}

/** What large answers add at most while all are on their way. */
async function largeAnswers(server: Served, key: string): Promise<Added> {
  const before = residentMemory(server.pid);
  const asked = Promise.all(Array.from({ length: ANSWERS }, () => readAnswer(server, key)));
  const highest = await highestDuring(server.pid, asked);
  const megabytes = (await asked).reduce((sum, size) => sum + size, 0) / 1_000_000;
  return { figure: added(before, highest), note: `${ANSWERS} at a time, ${megabytes.toFixed(0)} MB in all` };
}

async function readAnswer({ port }: Served, key: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(completion({})),
  });
  let size = 0;
  for await (const piece of response.body ?? []) size += piece.byteLength;
  if (response.status !== 200) throw new Error(`the answer has the status ${response.status}`);
  return size;
}

function completion(more: object): object {
  return { model: "bench-model", messages: [{ role: "user", content: "Hello?" }], ...more };
}

async function highestDuring(pid: number, work: Promise<unknown>): Promise<number | undefined> {
  let most = residentMemory(pid);
  const timer = setInterval(() => {
    most = most === undefined ? undefined : Math.max(most, residentMemory(pid) ?? 0);
  }, SAMPLE_MS);
  try {
    await work;
    return most;
  } finally {
    clearInterval(timer);
  }
}

function added(before: number | undefined, after: number | undefined): number | undefined {
  return before === undefined || after === undefined ? undefined : after - before;
}
