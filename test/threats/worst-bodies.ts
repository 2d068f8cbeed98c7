// No body that the server accepts keeps it from answering others: each field of each operation and tool is sent with its
// largest and worst values, and `GET /v1/health` is asked meanwhile.
import { join } from "node:path";
import { expect } from "bun:test";
import { startChild } from "../support/child";
import { printFigure } from "./figure";
import type { PreparedRequest } from "./prepared-server";
import { MARKER, type Worst, worstOf } from "./worst-values";

const MOST_MS = 250;
/** A figure this far below the bound says enough: no further attempt is made. */
const QUICK_MS = MOST_MS / 5;
const ATTEMPTS = 8;

/** The slowest answer of health while the request runs. */
async function slowestHealth(url: string, request: PreparedRequest, { json }: Worst): Promise<number> {
  const { method, path, key, body } = request;
  const sent = Buffer.from(JSON.stringify(body).replace(JSON.stringify(MARKER), () => json));
  const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
  let running = true;
  const answered = fetch(url + path, { method, headers, body: sent })
    .then((response) => response.bytes())
    .finally(() => (running = false));
  let slowest = 0;
  while (running) {
    const started = performance.now();
    await (await fetch(`${url}/v1/health`)).bytes();
    slowest = Math.max(slowest, performance.now() - started);
  }
  await answered;
  return slowest;
}

/** On a busy machine an answer may be late without a reason: what blocks does so each time. */
async function leastHealth(url: string, request: PreparedRequest, worst: Worst): Promise<number> {
  let least = Infinity;
  for (let attempt = 0; attempt < ATTEMPTS && least > QUICK_MS; attempt++) {
    least = Math.min(least, await slowestHealth(url, request, worst));
  }
  return least;
}

/** Sends the worst bodies of every `step`th operation and tool, from the `first` one on. */
export async function sendWorstBodies(first: number, step: number): Promise<void> {
  const { line } = startChild(join(import.meta.dir, "prepared-server.ts"));
  const requests: PreparedRequest[] = [];
  let url = "";
  while (url === "") {
    const parsed: PreparedRequest | string = JSON.parse((await line()) ?? '"ended"');
    if (typeof parsed === "string") url = parsed;
    else requests.push(parsed);
  }
  expect(requests.length).toBeGreaterThan(300);
  const blocking: string[] = [];
  let slowest = 0;
  let sent = 0;
  for (const [turn, request] of requests.entries()) {
    if (turn % step !== first % step) continue;
    for (const worst of worstOf(request.schema, turn)) {
      const health = await leastHealth(url, request, worst);
      slowest = Math.max(slowest, health);
      sent++;
      if (health > MOST_MS) blocking.push(`${request.name}, ${worst.name}: ${Math.round(health)} ms`);
    }
  }
  expect(blocking).toEqual([]);
  expect(sent).toBeGreaterThan(0);
  printFigure(
    "freezing",
    `${sent} bodies of the largest size, health answered within ${Math.round(slowest)} ms`,
  );
}
