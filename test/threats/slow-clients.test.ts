// Slow clients (headers, bodies, reading) while other clients send ordinary requests.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { api, at } from "../support/api";
import { testWith } from "../support/require";
import { type Stage, startStage } from "../server/stage";
import { printFigure } from "./figure";

const SLOWHTTPTEST = Bun.which("slowhttptest");
const testSlow = testWith("slowhttptest", SLOWHTTPTEST !== null);
const CONNECTIONS = 400;

let stage: Stage;
beforeAll(async () => {
  stage = await startStage({ environment: { RUNTIME_HTTP_BODY_TIMEOUT: "1" } });
});
afterAll(() => stage[Symbol.asyncDispose]());

/** Sends requests one after the other until `during` ends. Returns how many, and the longest time, ms. */
async function ordinaryRequests(during: Promise<unknown>): Promise<{ count: number; longest: number }> {
  const client = api(stage.site.url, stage.keys.run);
  const state = { ended: false };
  void during.finally(() => {
    state.ended = true;
  });
  let [count, longest] = [0, 0];
  while (!state.ended) {
    const started = performance.now();
    const answer = await client.get("/v1/tools?limit=1");
    longest = Math.max(longest, performance.now() - started);
    expect(answer.status).toBe(200);
    count += 1;
    await Bun.sleep(10);
  }
  return { count, longest };
}

const MODES: [string, string[]][] = [
  ["slow headers", ["-H", "-i", "1"]],
  ["slow bodies without a credential", ["-B", "-i", "1", "-s", "8192"]],
  ["slow readers", ["-X", "-w", "1", "-y", "2", "-n", "1", "-z", "1", "-k", "3"]],
];

describe.each(MODES)("%s", (mode, options) => {
  testSlow(
    "leave other requests answered",
    async () => {
      const path = mode === "slow readers" ? "/openapi.json" : "/v1/tools/execute";
      const size = ["-c", String(CONNECTIONS), "-r", String(CONNECTIONS), "-l", "4", "-p", "3"];
      const attack = Bun.spawn([SLOWHTTPTEST ?? "", ...options, ...size, "-u", stage.site.url + path], {
        stdout: "pipe",
        stderr: "pipe",
      });
      const output = new Response(attack.stdout).text();

      const { count, longest } = await ordinaryRequests(attack.exited);

      expect(count).toBeGreaterThan(10);
      const shown = Bun.stripANSI(await output).matchAll(/service available:\s*(\w+)/g);
      expect(new Set(Array.from(shown, ([, available]) => available))).toEqual(new Set(["YES"]));
      printFigure(
        mode,
        `${CONNECTIONS} connections, slowest of ${count} other requests ${Math.round(longest)} ms`,
      );
    },
    30_000,
  );
});

describe("slow bodies with a credential", () => {
  const HEAD = (length: number): string =>
    `POST /v1/tools/execute HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${stage.keys.run}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

  test("are refused after the time limit, and leave other requests answered", async () => {
    const port = Number(new URL(stage.site.url).port);
    const answers = Array.from({ length: 200 }, () => dripped(connect(port, "127.0.0.1"), `${HEAD(1000)}{`));

    const { count, longest } = await ordinaryRequests(Promise.all(answers));

    const texts = await Promise.all(answers);
    expect(new Set(texts.map((text) => text.slice(0, 12)))).toEqual(new Set(["HTTP/1.1 400"]));
    expect(texts[0]).toContain("The body did not arrive in time.");
    expect(count).toBeGreaterThan(5);
    printFigure(
      "slow bodies",
      `200 connections, slowest of ${count} other requests ${Math.round(longest)} ms`,
    );
  });
});

/** Sends a byte every 100 ms until there is an answer. */
async function dripped(socket: Socket, start: string): Promise<string> {
  const answered = Promise.withResolvers<string>();
  socket.on("data", (data) => answered.resolve(data.toString("latin1")));
  socket.on("error", answered.reject);
  socket.on("close", () => answered.resolve(""));
  socket.write(start);
  const timer = setInterval(() => socket.write(" "), 100);
  const answer = await answered.promise;
  clearInterval(timer);
  socket.destroy();
  return answer;
}

test("a body that arrives in time is answered", async () => {
  const body = { tool_name: "Chat.WhoAmI", user_id: "alice", input: {} };
  const answer = await api(stage.site.url, stage.keys.run).post("/v1/tools/execute", body);
  expect(at(answer.body, "name")).toBe("tool_requirements_not_met");
});
