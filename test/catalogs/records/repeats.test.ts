// Waits, repeats, and writes of which nobody knows whether they were done.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Fault } from "../../sandbox/records";
import { TestMemory } from "../context";
import { Platform } from "./platform";
import { ALL, MODES, named, type Row, rowOf } from "./rows";
import type { User } from "./run";

let platform: Platform;
let alice: User;
beforeAll(async () => {
  platform = await Platform.start();
});
beforeEach(() => {
  platform.fresh();
  alice = platform.alice();
});
afterAll(() => platform.sandbox.stop());

/** Long enough to arrive on a busy machine, short enough not to be waited for. */
const SOON_MS = 250;
const READS = ALL.filter(({ method }) => method === "GET");
const LOST: [string, Fault][] = [
  ["a reset after the write", { kind: "reset_after" }],
  ["a gateway's error after the write", { kind: "server_error_after" }],
  ["a slow answer", { kind: "slow", ms: 2000 }],
  ["a server error", { kind: "server_error" }],
  ["an answer cut off", { kind: "answer", body: '{"code":3000,"res' }],
];

describe("a write whose answer is lost is sent once, and its outcome is unknown", () => {
  const cases = MODES.flatMap((row) =>
    LOST.map(([what, fault]): [string, string, Fault, Row] => [row.tool, what, fault, row]),
  );
  test.each(cases)("%s: %s", async (name, _, fault, row) => {
    const { input } = await platform.live(row, alice);
    // A connection that is kept alive must not be the reason of a repeat.
    await alice.run("FetchVendorRecords", rowOf("FetchVendorRecords").input);
    platform.sandbox.clearRequests();
    platform.sandbox.fail("*", fault, 3);
    const error = await alice.failure(name, input, { requestMs: fault.kind === "slow" ? SOON_MS : 30_000 });
    expect(error.canRetry).toBe(false);
    expect(error.details.extra).toMatchObject({ outcome: "unknown" });
    expect(error.message).toContain("unknown");
    expect(platform.sandbox.requests.map(({ route }) => route)).toEqual([row.route]);
  });

  test("the kind is that of the cause", async () => {
    const { input } = await platform.live(rowOf("InsertRecordsInVendorForm"), alice);
    const kindOf = async (fault: Fault) => {
      platform.sandbox.fail("data.add", fault);
      return (await alice.failure("InsertRecordsInVendorForm", input, { requestMs: SOON_MS })).kind;
    };
    expect(await kindOf({ kind: "reset_after" })).toBe("NETWORK_TRANSPORT_RUNTIME_UNREACHABLE");
    expect(await kindOf({ kind: "slow", ms: 2000 })).toBe("NETWORK_TRANSPORT_RUNTIME_TIMEOUT");
    expect(await kindOf({ kind: "server_error_after" })).toBe("UPSTREAM_RUNTIME_SERVER_ERROR");
  });
});

describe("a write that certainly did not arrive", () => {
  const unreachable = { serverUrl: "http://127.0.0.1:1" };

  test.each(named(MODES))("%s", async (name, row) => {
    const error = await alice.failure(name, row.input, unreachable);
    expect(error).toMatchObject({ kind: "NETWORK_TRANSPORT_RUNTIME_UNREACHABLE", canRetry: true });
    expect(error.details.extra?.["outcome"]).toBeUndefined();
    // Changes are tried once more; what creates something never is.
    expect(alice.clock.sleeps).toHaveLength(row.method === "POST" ? 0 : 1);
  });
});

describe("a read with a transient failure is retried once", () => {
  test.each(named(READS))("%s", async (name, row) => {
    const { input } = await platform.live(row, alice);
    for (const fault of [{ kind: "server_error", status: 502 }, { kind: "reset_before" }] as const) {
      platform.sandbox.clearRequests();
      platform.sandbox.fail(row.route, fault);
      expect(await alice.run(name, input)).toMatchObject({ response_json: { code: 3000 } });
      expect(platform.sandbox.calls(row.route)).toBe(2);
    }
  });

  test("also after an answer that does not come: it leaves time for another try", async () => {
    platform.sandbox.fail("data.list", { kind: "slow", ms: 20_000 });
    const { tool, input } = rowOf("FetchVendorRecords");
    // A little more than a try needs at least.
    expect(await alice.run(tool, input, { timeMs: 6000 })).toMatchObject({ response_json: { code: 3000 } });
    expect(platform.sandbox.calls()).toBe(2);
  });

  test("and not a third time", async () => {
    platform.sandbox.fail("data.list", { kind: "server_error", status: 503 }, 5);
    const error = await alice.failure("FetchVendorRecords", rowOf("FetchVendorRecords").input);
    expect(error).toMatchObject({ kind: "UPSTREAM_RUNTIME_SERVER_ERROR", canRetry: true });
    expect(error.details.extra).toMatchObject({ upstream_status: 503 });
    expect(platform.sandbox.calls()).toBe(2);
  });

  test("nor when there is no time left, nor after the caller disconnected", async () => {
    const { tool, input } = rowOf("FetchVendorRecords");
    platform.sandbox.fail("data.list", { kind: "server_error" }, 5);
    await alice.failure(tool, input, { timeMs: 5000 });
    expect(platform.sandbox.calls()).toBe(1);
    const gone = AbortSignal.abort();
    const error = await alice.failure(tool, input, { signal: gone });
    expect(error).toMatchObject({ kind: "NETWORK_TRANSPORT_RUNTIME_TIMEOUT" });
    expect(platform.sandbox.calls()).toBe(1);
  });
});

const GATEWAY: Fault = { kind: "answer", status: 429, body: "<h1>Slow down</h1>", type: "text/html" };

describe("rate limits", () => {
  test.each(named(ALL))("%s: a refused call is retried after the wait, also a write", async (name, row) => {
    const { input } = await platform.live(row, alice);
    platform.sandbox.fail(row.route, { kind: "rate_limit", retryAfter: 3 });
    expect(await alice.run(name, input)).toMatchObject({ response_json: { code: 3000 } });
    expect(platform.sandbox.calls(row.route)).toBe(2);
    expect(alice.clock.sleeps).toEqual([3000]);
  });

  test("a wait that is too long is known to a later process, which sends nothing", async () => {
    const { tool, input } = rowOf("FetchVendorRecords");
    const stored = new TestMemory(alice.clock).of("ac_1", "ac_1");
    platform.sandbox.fail("data.list", { kind: "rate_limit", retryAfter: 120 });
    await alice.failure(tool, input, { memory: stored });
    alice.clock.move(20_000);
    const error = await alice.failure(tool, input, { memory: stored });
    expect(error).toMatchObject({ kind: "UPSTREAM_RUNTIME_RATE_LIMIT", details: { retryAfterMs: 100_000 } });
    expect(platform.sandbox.calls()).toBe(1);
    alice.clock.move(100_000);
    await alice.run(tool, input, { memory: stored });
  });

  test("without a header the waits grow, and then it gives up", async () => {
    platform.sandbox.fail("data.list", { kind: "rate_limit" }, 5);
    const error = await alice.failure("FetchVendorRecords", rowOf("FetchVendorRecords").input);
    expect(error).toMatchObject({ kind: "UPSTREAM_RUNTIME_RATE_LIMIT", canRetry: true });
    expect(error.details).toMatchObject({ retryAfterMs: 60_000, statusCode: 429 });
    expect(alice.clock.sleeps).toEqual([1000, 5000]);
    expect(platform.sandbox.calls()).toBe(3);
  });

  test("a date is a wait too; one that is too long is left to the caller", async () => {
    const { tool, input } = rowOf("FetchVendorRecords");
    platform.sandbox.fail("data.list", {
      kind: "rate_limit",
      retryAfter: new Date(alice.clock.now() + 4000),
    });
    await alice.run(tool, input);
    expect(alice.clock.sleeps).toEqual([4000]);
    platform.sandbox.fail("data.list", { kind: "rate_limit", retryAfter: 120 });
    const error = await alice.failure(tool, input);
    expect(error.details.retryAfterMs).toBe(120_000);
    expect(alice.clock.sleeps).toEqual([4000]);
  });

  test("a gateway's 429 on a write was not done: it is sent again after the wait", async () => {
    const { input } = await platform.live(rowOf("InsertRecordsInVendorForm"), alice);
    platform.sandbox.fail("data.add", GATEWAY);
    await alice.run("InsertRecordsInVendorForm", input);
    expect(platform.sandbox.calls("data.add")).toBe(2);
  });

  test("a gateway's 429 that stays says when to try again, and never that the outcome is unknown", async () => {
    const { input } = await platform.live(rowOf("InsertRecordsInVendorForm"), alice);
    for (let count = 0; count < 10; count++) platform.sandbox.fail("data.add", GATEWAY);
    const error = await alice.failure("InsertRecordsInVendorForm", input);
    expect(error).toMatchObject({ kind: "UPSTREAM_RUNTIME_RATE_LIMIT", canRetry: true });
    expect(error.message).toMatch(
      /^The platform's rate limit is reached \(HTTP 429\)\. Try again in \d+ s\.$/,
    );
    expect(error.details.extra).not.toHaveProperty("outcome");
  });

  test("the sixth job of a minute", async () => {
    const { input } = await platform.live(rowOf("CreateBulkReadJob"), alice);
    for (let count = 0; count < 5; count++) await alice.run("CreateBulkReadJob", input);
    const error = await alice.failure("CreateBulkReadJob", input);
    expect(error).toMatchObject({ kind: "UPSTREAM_RUNTIME_RATE_LIMIT", canRetry: true });
  });
});
