// `Idempotency-Key`: one run however often it is asked for, and never a second one after a crash.
import { describe, expect, test } from "bun:test";
import type { Principal } from "../../src/identity";
import type { Runtime } from "../../src/runtime";
import type { Execution } from "../../src/tools";
import { badInput } from "../../src/tools";
import { refusal, times, until } from "../connections/executing";
import { agent, deploy, type Deployment, operator, pass } from "./deployment";

const KEY = "stainless-node-retry-1";

interface Asked {
  tool?: string;
  input?: { [key: string]: unknown };
  user?: string;
  principal?: Principal;
  key?: string;
  signal?: AbortSignal;
  stack?: boolean;
}

function run(runtime: Runtime, asked: Asked = {}): Promise<Execution> {
  const {
    tool = "Test.Act",
    input = { text: "x" },
    user = "alice",
    principal = agent(),
    key = KEY,
    signal,
    stack,
  } = asked;
  const request = {
    tool_name: tool,
    user_id: user,
    input,
    ...(stack === undefined ? {} : { include_error_stacktrace: stack }),
  };
  return runtime.tools.execute(principal, request, { idempotencyKey: key, signal });
}

/** A tool that takes a while and answers which run it was. */
async function slow(ms = 100): Promise<Deployment> {
  const deployment = await deploy();
  const { test: catalog } = deployment;
  catalog.act = async () => {
    const number = catalog.runs;
    await Bun.sleep(ms);
    return { run: number };
  };
  return deployment;
}

describe("one key", () => {
  test("sent 20 times at once, to two processes, is one run with 20 equal answers", async () => {
    await using deployment = await slow();
    const other = await deployment.another();
    const answers = await times(20, (index) => run(index % 2 === 0 ? deployment.runtime : other));

    expect(deployment.test.runs).toBe(1);
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject({ success: true, output: { value: { run: 1 } } });
  });

  test("sent again later gets the same answer, in every process", async () => {
    await using deployment = await slow(0);
    const first = await run(deployment.runtime);
    deployment.clock.move(9 * 60_000);

    expect(await run(deployment.runtime)).toEqual(first);
    expect(await run(await deployment.another())).toEqual(first);
    expect(deployment.test.runs).toBe(1);
  });

  test("of a failed run returns the same failure", async () => {
    await using deployment = await deploy();
    deployment.test.act = async () => Promise.reject(badInput("no"));
    const first = await run(deployment.runtime);

    expect(first.success).toBe(false);
    expect(await run(deployment.runtime)).toEqual(first);
    expect(deployment.test.runs).toBe(1);
  });

  test("can be used again after ten minutes", async () => {
    await using deployment = await slow(0);
    await run(deployment.runtime);
    deployment.clock.move(10 * 60_000);

    expect((await run(deployment.runtime)).output?.value).toEqual({ run: 2 });
  });

  test("is not forgotten when the clock is set forward, until ten minutes have passed", async () => {
    await using deployment = await slow(0);
    const first = await run(deployment.runtime);
    deployment.clock.jump(24 * 3600_000);

    expect(await run(deployment.runtime)).toEqual(first);
    deployment.clock.move(9 * 60_000);
    expect(await run(deployment.runtime)).toEqual(first);
    deployment.clock.move(60_000);
    expect((await run(deployment.runtime)).output?.value).toEqual({ run: 2 });
  });

  test("of a process whose clock was behind is not forgotten by another one", async () => {
    await using deployment = await slow(0);
    const other = await deployment.another();
    deployment.clock.jump(-11 * 60_000);
    const first = await run(deployment.runtime);
    deployment.clock.jump(11 * 60_000);

    expect(await run(other)).toEqual(first);
    expect(deployment.test.runs).toBe(1);
  });

  test("is not forgotten by a process that starts with a clock far ahead", async () => {
    await using deployment = await slow(0);
    const first = await run(deployment.runtime);
    deployment.clock.jump(100 * 24 * 3600_000);
    const other = await deployment.another();

    expect(await run(other)).toEqual(first);
    expect(await run(other, { key: "another" })).toMatchObject({ success: true });
    expect(await run(await deployment.another())).toEqual(first);
    expect(deployment.test.runs).toBe(2);
  });

  test("by any name of the same tool is the same request", async () => {
    await using deployment = await slow(0);
    await run(deployment.runtime);
    await run(deployment.runtime, { tool: "test_act" });

    expect(deployment.test.runs).toBe(1);
  });
});

describe("another request under the same key is refused and not run:", () => {
  test.each<[string, Asked]>([
    ["another input", { input: { text: "y" } }],
    ["another tool", { tool: "Test.Look" }],
    ["another user", { user: "bob" }],
    ["more in its answer", { stack: true }],
  ])("%s", async (_name, asked) => {
    await using deployment = await slow(0);
    await run(deployment.runtime);
    const error = await refusal(run(deployment.runtime, asked));

    expect([error.status, error.name]).toEqual([400, "idempotency_mismatch"]);
    expect(deployment.test.runs).toBe(1);
  });

  test("while the first is still running, too", async () => {
    await using deployment = await slow();
    const first = run(deployment.runtime);
    await until(() => deployment.test.runs === 1);

    expect((await refusal(run(deployment.runtime, { input: {} }))).name).toBe("idempotency_mismatch");
    expect((await first).success).toBe(true);
  });
});

describe("the same key of another caller is another key:", () => {
  test.each<[string, Principal]>([
    ["another API key", agent(null, "default", "key_other")],
    ["another project", agent(null, "second")],
    ["the terminal", operator()],
    ["the user's own token", { kind: "user", projectId: "default", userId: "alice" }],
  ])("%s", async (_name, principal) => {
    await using deployment = await slow(0);
    await deployment.runtime.identity.createProject(operator(), "second", "second");
    const mine = await run(deployment.runtime);
    const theirs = await run(deployment.runtime, { principal });

    expect([mine.output?.value, theirs.output?.value]).toEqual([{ run: 1 }, { run: 2 }]);
  });
});

describe("a key is", () => {
  test.each(["a", "!~", "x".repeat(255)])("%p", async (key) => {
    await using deployment = await slow(0);

    expect((await run(deployment.runtime, { key })).success).toBe(true);
  });

  test.each(["", " ", "a b", "x".repeat(256), "ü", "a\n"])("not %p", async (key) => {
    await using deployment = await slow(0);
    const error = await refusal(run(deployment.runtime, { key }));

    expect([error.status, error.name, deployment.test.runs]).toEqual([400, "invalid_parameter", 0]);
  });
});

describe("a call that is refused before it runs is not stored:", () => {
  test("a missing consent, then given", async () => {
    await using deployment = await slow(0);
    await deployment.addProvider();
    const asked = { tool: "Test.ActFor" };
    const before = await refusal(run(deployment.runtime, asked));
    await deployment.give("alice");

    expect(before.status).toBe(403);
    expect((await run(deployment.runtime, asked)).success).toBe(true);
  });

  test("a bad input, then a right one", async () => {
    await using deployment = await slow(0);
    const bad = await run(deployment.runtime, { input: { txt: "x" } });

    expect(bad.output?.error?.kind).toBe("TOOL_RUNTIME_BAD_INPUT_VALUE");
    expect((await run(deployment.runtime)).success).toBe(true);
    expect(deployment.test.runs).toBe(1);
  });

  test("20 concurrent calls without the consent are all refused", async () => {
    await using deployment = await slow(0);
    await deployment.addProvider();
    const refusals = await times(20, () => refusal(run(deployment.runtime, { tool: "Test.ActFor" })));

    expect(new Set(refusals.map(({ status }) => status))).toEqual(new Set([403]));
    expect(deployment.test.runs).toBe(0);
  });
});

describe("a run whose process died", () => {
  const UNKNOWN = {
    success: false,
    output: {
      error: { can_retry: false, extra: { outcome: "unknown" }, kind: "UPSTREAM_RUNTIME_SERVER_ERROR" },
    },
  };

  /** The first process hangs in the tool and gives no sign of life. */
  async function dead() {
    const deployment = await deploy();
    const end = Promise.withResolvers<string>();
    deployment.test.act = () => end.promise;
    const first = run(deployment.runtime);
    await until(() => deployment.test.runs === 1);
    return { deployment, first, end: end.resolve, other: await deployment.another() };
  }

  /** Sends the request to the other process until it has watched the first one long enough. */
  async function repeated({ clock }: Deployment, other: Runtime): Promise<Execution> {
    const [answer] = await Promise.all([run(other), pass(clock, 20_000)]);
    return answer;
  }

  test("is never run again: its outcome is unknown", async () => {
    const { deployment, first, end, other } = await dead();
    await using _ = deployment;

    expect(await repeated(deployment, other)).toMatchObject(UNKNOWN);
    expect(await run(other)).toMatchObject(UNKNOWN);
    expect(deployment.test.runs).toBe(1);
    end("late");
    await first;
  });

  test.each([
    ["forward by 20 s", 20_000],
    ["forward by 11 minutes", 11 * 60_000],
    ["back by an hour", -3600_000],
  ])("is not declared dead, or alive, by a clock that is set %s", async (_how, ms) => {
    const { deployment, first, end, other } = await dead();
    await using _ = deployment;
    deployment.clock.jump(ms);
    const here = run(deployment.runtime);
    let answers = 0;
    const there = run(other).finally(() => answers++);
    await Bun.sleep(300);
    expect([deployment.test.runs, answers]).toEqual([1, 0]);

    // The other process watches its row for 15 s, whatever the clock shows.
    await pass(deployment.clock, 20_000);
    expect(await there).toMatchObject(UNKNOWN);
    end("late");
    expect(await here).toEqual(await first);
    expect(deployment.test.runs).toBe(1);
  });

  test("and waiting callers are informed soon", async () => {
    await using deployment = await deploy();
    const end = Promise.withResolvers<string>();
    deployment.test.act = () => end.promise;
    const first = run(deployment.runtime);
    await until(() => deployment.test.runs === 1);
    const waiting = run(await deployment.another());
    await pass(deployment.clock, 20_000);

    expect(await waiting).toMatchObject(UNKNOWN);
    end.resolve("late");
    await first;
  });

  test("but finished after all has its answer stored", async () => {
    const { deployment, first, end, other } = await dead();
    await using _ = deployment;
    await repeated(deployment, other);
    end("late");
    const answer = await first;

    expect(await run(other)).toEqual(answer);
    expect(deployment.test.runs).toBe(1);
  });
});

describe("a caller that disconnects", () => {
  test("does not end the run: its answer is stored for the repetition", async () => {
    await using deployment = await slow(30);
    const gone = new AbortController();
    const first = run(deployment.runtime, { signal: gone.signal });
    await until(() => deployment.test.runs === 1);
    gone.abort();

    expect((await first).success).toBe(true);
    expect(await run(deployment.runtime)).toEqual(await first);
  });

  test("while waiting, stops waiting", async () => {
    await using deployment = await deploy();
    const end = Promise.withResolvers<string>();
    deployment.test.act = () => end.promise;
    const first = run(deployment.runtime);
    await until(() => deployment.test.runs === 1);
    const gone = new AbortController();
    const second = run(deployment.runtime, { signal: gone.signal });
    gone.abort();

    expect((await second).success).toBe(false);
    end.resolve("done");
    expect((await first).success).toBe(true);
  });
});
