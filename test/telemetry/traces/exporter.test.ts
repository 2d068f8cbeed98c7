// The queue of the exporter: batches, limits, repeats, the end.
import { describe, expect, test } from "bun:test";
import { createLog, type LogFields } from "../../../src/base";
import { MAX_ATTEMPTS, MAX_BATCH, MAX_QUEUE, SpanExporter } from "../../../src/telemetry/traces/exporter";
import type { SpanBatch } from "../../../src/telemetry/traces/encoding";
import { encodingOf, type Outcome } from "../../../src/telemetry/traces/send";
import { finished, type FlatSpan, RESOURCE } from "./spans";
import { StillClock } from "./still-clock";

const TAKEN: Outcome = { is: "taken", rejected: 0 };
const UNREACHABLE: Outcome = { is: "retry", reason: "unreachable", afterMs: undefined };

class Stage {
  readonly clock = new StillClock();
  readonly batches: SpanBatch[] = [];
  readonly dropped: Record<string, number> = {};
  readonly lines: LogFields[] = [];
  /** What the collector answers. */
  answer: (signal: AbortSignal) => Outcome | Promise<Outcome> = () => TAKEN;
  readonly exporter = new SpanExporter({
    clock: this.clock,
    log: createLog({ level: "info", clock: this.clock, write: (line) => this.lines.push(JSON.parse(line)) }),
    vary: () => 0.5,
    delayMs: 5000,
    collector: "http://collector.test",
    batch: () => encodingOf("http/protobuf", RESOURCE).batch(),
    send: async (batch, signal) => {
      this.batches.push(batch);
      return this.answer(signal);
    },
    dropped: (spans, reason) => {
      this.dropped[reason] = (this.dropped[reason] ?? 0) + spans;
    },
  });

  add(count: number, parts: FlatSpan = {}): void {
    for (let at = 0; at < count; at++) this.exporter.add(finished(parts));
  }

  get sizes(): number[] {
    return this.batches.map(({ spans }) => spans);
  }
}

test("spans wait for others, and nothing waits without spans", async () => {
  const stage = new Stage();
  expect(stage.clock.waiting).toEqual([]);
  stage.add(3);
  await stage.clock.settled();
  expect(stage.sizes).toEqual([]);
  expect(stage.clock.waiting).toEqual([5000]);

  await stage.clock.pass(5000);

  expect(stage.sizes).toEqual([3]);
  expect(stage.clock.waiting).toEqual([]);
});

test("a full batch does not wait", async () => {
  const stage = new Stage();
  stage.add(MAX_BATCH + 1);
  await stage.clock.settled();
  expect(stage.sizes).toEqual([MAX_BATCH]);
  await stage.clock.pass(5000);
  expect(stage.sizes).toEqual([MAX_BATCH, 1]);
});

test("long texts make small batches", async () => {
  const stage = new Stage();
  stage.add(5, { attributes: { text: "x".repeat(600_000) } });
  await stage.clock.pass(5000);
  await stage.clock.pass(25_000);
  expect(stage.sizes).toEqual([2, 2, 1]);
});

test("a span that cannot be written is dropped, and the work that made it goes on", async () => {
  const stage = new Stage();
  stage.add(1, { startMs: NaN });
  stage.add(1);
  await stage.clock.pass(5000);
  expect([stage.sizes, stage.dropped]).toEqual([[1], { refused: 1 }]);
});

describe("the queue has a limit", () => {
  test("of spans", async () => {
    const stage = new Stage();
    stage.answer = () => new Promise(() => undefined);
    stage.add(MAX_BATCH);
    await stage.clock.settled();
    stage.add(MAX_QUEUE + 7);
    expect(stage.dropped).toEqual({ queue_full: 7 });
  });

  test("of text", async () => {
    const stage = new Stage();
    stage.answer = () => new Promise(() => undefined);
    stage.add(40, { attributes: { text: "x".repeat(1_000_000) } });
    expect(stage.dropped["queue_full"]).toBeGreaterThan(20);
  });
});

describe("a collector that cannot be reached", () => {
  test("is asked again after pauses that double", async () => {
    const stage = new Stage();
    stage.answer = () => UNREACHABLE;
    stage.add(2);
    await stage.clock.pass(5000);
    const pauses: number[] = [];
    for (let attempt = 1; attempt < MAX_ATTEMPTS; attempt++) {
      pauses.push(stage.clock.waiting[0] ?? 0);
      await stage.clock.pass(stage.clock.waiting[0] ?? 0);
    }
    expect(pauses).toEqual([1000, 2000, 4000, 8000]);
    expect(stage.sizes).toEqual([2, 2, 2, 2, 2]);
    expect(stage.dropped).toEqual({ unreachable: 2 });
    expect(stage.clock.waiting).toEqual([]);
  });

  test("is asked when it wants to be", async () => {
    const stage = new Stage();
    stage.answer = () => ({ is: "retry", reason: "status 429", afterMs: 17_000 });
    stage.add(1);
    await stage.clock.pass(5000);
    expect(stage.clock.waiting).toEqual([17_000]);
    stage.answer = () => TAKEN;
    await stage.clock.pass(17_000);
    expect(stage.sizes).toEqual([1, 1]);
    expect(stage.dropped).toEqual({});
  });

  test("is one line in the log until it answers again", async () => {
    const stage = new Stage();
    stage.answer = () => UNREACHABLE;
    for (let round = 0; round < 10; round++) {
      stage.add(1);
      await stage.clock.pass(60_000);
    }
    expect(stage.lines.map(({ message }) => message)).toEqual(["traces not exported"]);
    expect(stage.lines[0]).toMatchObject({
      level: "warn",
      collector: "http://collector.test",
      reason: "unreachable",
    });

    stage.answer = () => TAKEN;
    stage.add(1);
    await stage.clock.pass(60_000);
    expect(stage.lines.map(({ message }) => message)).toEqual([
      "traces not exported",
      "traces exported again",
    ]);
    expect(stage.lines[1]?.["dropped_spans"]).toBeGreaterThan(5);
  });

  test("that changes its mind each time is one line a minute", async () => {
    const stage = new Stage();
    let round = 0;
    stage.answer = () => (round++ % 2 === 0 ? { is: "refused", reason: "status 400" } : TAKEN);
    for (let second = 0; second < 600; second += 5) {
      stage.add(1);
      await stage.clock.pass(5000);
    }
    expect(round).toBe(120);
    expect(stage.lines.length).toBeLessThanOrEqual(10);
    expect(stage.dropped).toEqual({ refused: 60 });
  });
});

test("what a collector refuses is not sent again", async () => {
  const stage = new Stage();
  stage.answer = () => ({ is: "refused", reason: "status 400" });
  stage.add(4);
  await stage.clock.pass(5000);
  expect(stage.sizes).toEqual([4]);
  expect(stage.dropped).toEqual({ refused: 4 });
});

test("spans that a collector rejects are counted, and not sent again", async () => {
  const stage = new Stage();
  stage.answer = () => ({ is: "taken", rejected: 3 });
  stage.add(4);
  await stage.clock.pass(5000);
  expect(stage.sizes).toEqual([4]);
  expect(stage.dropped).toEqual({ rejected: 3 });
  expect(stage.lines.map(({ reason }) => reason)).toEqual(["spans rejected"]);
});

describe("the end", () => {
  test("sends what waits, without waiting for more", async () => {
    const stage = new Stage();
    stage.add(MAX_BATCH - 1);
    await stage.clock.settled();
    const stopped = stage.exporter.stop();
    await stopped;
    expect(stage.sizes).toEqual([MAX_BATCH - 1]);
    expect(stage.dropped).toEqual({});
  });

  test("does not wait for a collector that hangs, and counts what is lost", async () => {
    const stage = new Stage();
    stage.answer = (signal) =>
      new Promise((resolve) =>
        signal.addEventListener("abort", () => resolve({ is: "refused", reason: "aborted" })),
      );
    stage.add(5);
    await stage.clock.settled();
    const stopped = stage.exporter.stop();
    await stage.clock.settled();
    expect(stage.clock.waiting).toEqual([1000]);
    await stage.clock.pass(1000);
    await stopped;
    expect(stage.dropped).toEqual({ stopped: 5 });
  });

  test("asks a collector that cannot be reached once for each batch", async () => {
    const stage = new Stage();
    stage.answer = () => UNREACHABLE;
    stage.add(MAX_BATCH + 10);
    await stage.exporter.stop();
    expect(stage.sizes).toEqual([MAX_BATCH, 10]);
    expect(stage.dropped).toEqual({ unreachable: MAX_BATCH + 10 });
  });

  test("ends the pause before a repeat", async () => {
    const stage = new Stage();
    stage.answer = () => UNREACHABLE;
    stage.add(1);
    await stage.clock.pass(5000);
    stage.answer = () => TAKEN;
    await stage.exporter.stop();
    expect(stage.sizes).toEqual([1, 1]);
    expect(stage.dropped).toEqual({});
  });

  test("is final", async () => {
    const stage = new Stage();
    await stage.exporter.stop();
    stage.add(2);
    expect(stage.dropped).toEqual({ stopped: 2 });
    expect(stage.clock.waiting).toEqual([]);
  });
});
