// Waits and other safe requests survive failures of a proxy and of the network.
import { describe, expect, onTestFinished, test } from "bun:test";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { askAgain, pollUntil } from "../../cli/client/again";
import { RuntimeError } from "../../src/errors";
import { newTerminal } from "./support/fake-io";
import { startAtTerminal } from "./support/processes";

/** It needs a key, which the server does not check. */
const terminal = () => newTerminal({ RUNTIME_API_KEY: `rt_${"x".repeat(49)}` });

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const PENDING = { id: "ar_1", status: "pending", user_id: "alice", scopes: [], context: {} };
const COMPLETED = { ...PENDING, status: "completed" };

const record =
  (value: object, status = 200): Answer =>
  (_request, response) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
  };
const page =
  (status: number): Answer =>
  (_request, response) => {
    response.writeHead(status, { "content-type": "text/html" }).end("<h1>proxy</h1>");
  };
const reset: Answer = (request) => void request.socket.destroy();
const silence: Answer = () => undefined;
const unavailable = record({ name: "unavailable", message: "The server stops." }, 503);

/** A server that gives these answers in turn, and the last one forever. */
async function serverWith(...answers: Answer[]) {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url ?? "");
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    answer?.(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { flags: ["--server", `http://127.0.0.1:${port}`], paths };
}

const TEN = [
  page(502),
  reset,
  page(503),
  page(504),
  unavailable,
  reset,
  page(502),
  page(504),
  page(503),
  reset,
];

describe("auth status --wait", () => {
  test("survives ten failures in a row", async () => {
    const { flags, paths } = await serverWith(...TEN, record(COMPLETED));

    const ran = await terminal().run(["auth", "status", "ar_1", "--wait", "50", ...flags]);

    expect([ran.code, ran.stderr, paths.length]).toEqual([0, "", 11]);
    expect(ran.stdout).toMatch(/^status +completed$/m);
  });

  test("is not ended by the limit of one request", async () => {
    const { flags, paths } = await serverWith(silence, record(COMPLETED));

    const ran = await terminal().run(["auth", "status", "ar_1", "--wait", "50", "--timeout", "1", ...flags]);

    expect([ran.code, paths.length]).toEqual([0, 2]);
  });

  test("exits 8 if the consent is still pending", async () => {
    const { flags } = await serverWith(record(PENDING));
    const status = ["auth", "status", "ar_1", ...flags];

    const waited = await terminal().run([...status, "--wait", "1"]);
    const looked = await terminal().run(status);

    expect([waited.code, looked.code]).toEqual([8, 0]);
    expect(waited.stdout).toMatch(/^status +pending$/m);
  });

  test("reports the failure when the time is up", async () => {
    const { flags } = await serverWith(page(502));

    const ran = await terminal().run(["auth", "status", "ar_1", "--wait", "1", ...flags]);

    expect([ran.code, ran.stdout]).toEqual([1, ""]);
    expect(ran.stderr).toContain("answered 502");
  });

  test("does not repeat a refusal", async () => {
    const refusal = record({ name: "forbidden", message: "No." }, 403);
    const { flags, paths } = await serverWith(refusal);

    const ran = await terminal().run(["auth", "status", "ar_1", "--wait", "50", ...flags]);

    expect([ran.code, paths.length]).toEqual([4, 1]);
  });

  test("Ctrl-C ends it at once, also between two failures", async () => {
    const { flags, paths } = await serverWith(reset, page(502), silence);
    const { env } = terminal();

    const screen = startAtTerminal(["auth", "status", "ar_1", "--wait", "600", ...flags], env);
    while (paths.length < 3) await Bun.sleep(10);
    screen.type("\u0003");

    expect(await screen.exited).toBe(130);
  });
});

describe("a request", () => {
  test.each([
    ["502", page(502)],
    ["503", page(503)],
    ["504", page(504)],
    ["a reset", reset],
  ])("that changes nothing is repeated after %s", async (_what, failure) => {
    const { flags } = await serverWith(failure, failure, record({ items: [], total_count: 0 }));

    expect((await terminal().run(["keys", "list", ...flags])).code).toBe(0);
  });

  test("that changes nothing is given up after three failures", async () => {
    const { flags, paths } = await serverWith(page(502));

    expect((await terminal().run(["keys", "list", ...flags])).code).toBe(1);
    expect(paths).toHaveLength(3);
  });

  test.each([
    ["creates", ["keys", "create", "x"]],
    ["deletes", ["connections", "delete", "ac_1", "--yes"]],
  ])("that %s is never repeated", async (_what, argv) => {
    const { flags, paths } = await serverWith(reset, record({ id: "x" }));

    expect((await terminal().run([...argv, ...flags])).code).toBe(1);
    expect(paths).toHaveLength(1);
  });
});

describe("polling", () => {
  const failure = new RuntimeError("unavailable", 503, "x", { shouldRetry: true });

  /** A clock that only the pauses move. */
  function clock() {
    let now = 0;
    const sleeps: number[] = [];
    const sleep = async (ms: number): Promise<void> => {
      sleeps.push(ms);
      now += ms;
    };
    return { now: () => now, sleep, sleeps, move: (ms: number) => void (now += ms) };
  }

  test("pauses longer after each failure, up to half a second", async () => {
    const { sleeps, ...waiting } = clock();
    let asked = 0;
    const ask = async (): Promise<number> => {
      if (++asked < 6) throw failure;
      return asked;
    };

    expect(await askAgain(ask, () => true, waiting)).toBe(6);
    expect(sleeps).toEqual([100, 200, 400, 500, 500]);
  });

  test("asks for the time that is left, at most 59 s", async () => {
    const { move, ...waiting } = clock();
    const waits: number[] = [];
    const poll = async (wait: number): Promise<string> => {
      waits.push(wait);
      move(wait * 1000);
      return "pending";
    };

    expect(await pollUntil(130, poll, (answer) => answer !== "pending", waiting)).toBe("pending");
    expect(waits).toEqual([59, 59, 12]);
  });

  test("does not ask a server without a pause that answers at once", async () => {
    const { sleeps, ...waiting } = clock();

    await pollUntil(
      2,
      async () => "pending",
      () => false,
      waiting,
    );

    expect(sleeps).toEqual([500, 500, 500, 500]);
  });
});
