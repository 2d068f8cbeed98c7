// What is sent again after a failure, and what never is.
import { describe, expect, test } from "bun:test";
import { drive, READ_ONLY, toolOf, workerAt } from "./driver";
import { answered, type Arrived, standIn } from "./stand-in";

const READS = toolOf({ metadata: READ_ONLY });
const REPEATABLE = toolOf({
  metadata: { behavior: { ...toolOf().metadata.behavior, idempotent: true } },
});

/** Fails with a status so many times, and answers then. */
function failing(times: number, status: number, then: (arrived: Arrived) => Response) {
  let left = times;
  return standIn((arrived) => (left-- > 0 ? new Response("no", { status }) : then(arrived)));
}

const done = (arrived: Arrived): Response => answered(arrived, { value: "done" });

describe("the catalog and the health", () => {
  test.each([500, 502, 503, 429])("are asked again after %d, as often as the record says", async (status) => {
    const { uri, arrived } = failing(2, status, () => Response.json([]));
    expect(await drive().kind.read(workerAt(uri, { retry: 2 }), {})).toEqual({ tools: [], skipped: [] });
    expect(arrived.length).toBe(3);
  });

  test("are given up after that", async () => {
    const { uri, arrived } = failing(9, 503, () => Response.json([]));
    const failed: unknown = await drive()
      .kind.probe(workerAt(uri, { retry: 1 }), {})
      .catch((thrown: unknown) => thrown);
    expect(failed).toMatchObject({ reason: "refused" });
    expect(arrived.length).toBe(2);
  });

  test("are not asked again after a refusal", async () => {
    const { uri, arrived } = failing(9, 404, () => Response.json([]));
    await drive()
      .kind.read(workerAt(uri, { retry: 5 }), {})
      .catch(() => undefined);
    expect(arrived.length).toBe(1);
  });
});

describe("the health", () => {
  test.each([["7"], [7]])("counts the tools, as a text or a number", async (count) => {
    const { uri } = standIn(() => Response.json({ status: "ok", tool_count: count }));
    expect((await drive().kind.probe(workerAt(uri), {})).server?.description).toBe("7 tools");
  });

  test.each([
    [{ status: "starting" }, "refused"],
    [{ healthy: true }, "protocol"],
    [[], "protocol"],
  ])("%j is %s", async (body, reason) => {
    const { uri } = standIn(() => Response.json(body));
    const failed: unknown = await drive()
      .kind.probe(workerAt(uri), {})
      .catch((thrown: unknown) => thrown);
    expect(failed).toMatchObject({ reason });
  });

  test("is asked without a token", async () => {
    const { uri, arrived } = standIn(() => Response.json({ status: "ok", tool_count: "0" }));
    await drive().kind.probe(workerAt(uri), {});
    expect(arrived).toEqual([{ path: "/worker/health", authorization: null, body: "" }]);
  });
});

describe("a call", () => {
  test.each([
    ["that reads", READS, 502, 3],
    ["that reads", READS, 503, 3],
    ["that reads", READS, 504, 3],
    ["that reads", READS, 500, 1],
    ["that may be done twice", REPEATABLE, 503, 3],
    ["that may not be done twice", toolOf(), 503, 1],
    ["that may not be done twice", toolOf(), 502, 1],
    ["that reads", READS, 429, 1],
    ["that reads", READS, 404, 1],
  ])("%s is sent again after %s %d", async (_, tool, status, calls) => {
    const { uri, arrived } = failing(2, status, done);
    const { value } = await drive().call(workerAt(uri, { retry: 2 }), tool);
    expect(arrived.length).toBe(calls);
    expect(value).toBe(calls === 3 ? "done" : undefined);
  });

  test("that reads is sent again if no answer comes in time", async () => {
    let first = true;
    const { uri } = standIn((arrived) => {
      if (!first) return done(arrived);
      first = false;
      return new Promise<Response>(() => undefined);
    });
    const { value } = await drive().call(workerAt(uri, { retry: 1, timeoutMs: 100 }), READS);
    expect(value).toBe("done");
  });

  test("that may not be done twice is sent again if it cannot have arrived", async () => {
    let waits = 0;
    let replacement: ReturnType<typeof Bun.serve> | undefined;
    const port = freePort();
    const clock = {
      now: () => Date.now(),
      monotonic: () => performance.now(),
      // The worker starts while the call waits.
      sleep: async () => {
        waits++;
        replacement ??= Bun.serve({ hostname: "127.0.0.1", port, fetch: (request) => answerTo(request) });
      },
    };
    const { value, error } = await drive({ clock }).call(
      workerAt(`http://127.0.0.1:${port}`, { retry: 3 }),
      toolOf(),
    );
    await replacement?.stop(true);
    expect(error).toBeUndefined();
    expect([value, waits]).toEqual(["done", 1]);
  });

  test("may take as long as the record of the worker says, whatever the setting for other requests", async () => {
    const { uri } = standIn(async (arrived) => {
      await Bun.sleep(300);
      return done(arrived);
    });
    const driver = drive({ egressTimeout: 0.1 });
    expect((await driver.call(workerAt(uri, { timeoutMs: 10_000 }), READS)).value).toBe("done");
  });

  test("is not sent again when the run has no time left", async () => {
    const { uri, arrived } = failing(9, 503, done);
    await drive().call(workerAt(uri, { retry: 10 }), READS, { leftMs: 100 });
    expect(arrived.length).toBe(1);
  });

  test("gets another token of this server after a 401, once", async () => {
    const { uri, arrived } = failing(1, 401, done);
    expect((await drive().call(workerAt(uri), toolOf())).value).toBe("done");
    expect(arrived.length).toBe(2);
    expect(arrived[0]?.authorization).not.toBe(arrived[1]?.authorization ?? "");

    const never = failing(9, 401, done);
    const { error } = await drive().call(workerAt(never.uri, { retry: 5 }), READS);
    expect(never.arrived.length).toBe(2);
    expect(error?.message).toContain("secret");
  });
});

async function answerTo(request: Request): Promise<Response> {
  return done({ path: "", authorization: null, body: await request.text() });
}

function freePort(): number {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const { port } = server;
  void server.stop(true);
  if (port === undefined) throw new Error("no port");
  return port;
}
