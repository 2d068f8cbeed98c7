// The simulator over the engine for PostgreSQL: some seeds, and what must come of scripted faults of a database server.
import { expect, setDefaultTimeout, test } from "bun:test";
import { stepsOf } from "../draw";
import type { Operation } from "../operation";
import { failureOf, reduced, reportOf } from "../reduce";
import { simulate } from "../simulation";
import type { Action } from "../steps";
import type { DatabaseFate } from "./fates";

setDefaultTimeout(120_000);

const SEEDS = 20;
const STEPS = 20;
const SECRETS: readonly Action[] = [0, 1, 2].map((process) => ({ kind: "secret", process }));

function fateOf(fate: DatabaseFate): Action {
  return { kind: "database", name: "records", fate };
}

function pass(ms: number): Action {
  return { kind: "pass", ms };
}

/** Runs the same steps with several seeds, which choose when each answer arrives. Expects that nothing is violated. */
async function run(actions: readonly Action[], seeds = 2): Promise<Operation[]> {
  const steps = actions.map((action, number) => ({ ...action, number }));
  const all: Operation[] = [];
  for (let seed = 1; seed <= seeds; seed++) {
    const { failed, operations } = await simulate(seed, steps, new Set(), "postgres");
    expect(failed).toBeUndefined();
    all.push(...operations);
  }
  return all;
}

function errorsOf(operations: readonly Operation[]): string[] {
  return operations.flatMap(({ error, ended }) => {
    if (ended === undefined) return ["not ended"];
    return error === undefined ? [] : [String(error)];
  });
}

test(`${SEEDS} seeds violate nothing`, async () => {
  const failures: string[] = [];
  for (let seed = 1; seed <= SEEDS; seed++) {
    const failure = await failureOf(seed, STEPS, new Set(), "postgres");
    if (failure !== undefined) failures.push(reportOf(await reduced(failure)));
  }

  expect(failures).toEqual([]);
});

test("a seed gives the same run each time", async () => {
  const runs = [];
  for (let repeat = 0; repeat < 2; repeat++) {
    const { operations } = await simulate(11, stepsOf(11, STEPS, "postgres"), new Set(), "postgres");
    runs.push(operations.map(({ label, endedAt, error }) => [label, endedAt, String(error)]));
  }

  expect(runs[0]?.length).toBeGreaterThan(5);
  expect(runs[1]).toEqual(runs[0] ?? []);
});

test.each(["conflict", "deadlock"] as const)(
  "a transaction that is rolled back runs again as a whole: %s",
  async (fate) => {
    const operations = await run([fateOf(fate), ...SECRETS, fateOf(fate), ...SECRETS, pass(1000)]);

    expect(errorsOf(operations)).toEqual([]);
  },
);

test.each(["break", "lose answer", "late and break"] as const)(
  "a broken connection loses nothing, and repeats nothing: %s",
  async (fate) => {
    const steps = SECRETS.flatMap((secret) => [fateOf(fate), secret, pass(4000)]);
    const operations = await run([...steps, ...steps]);

    expect(errorsOf(operations)).toEqual([]);
  },
);

test.each(["silent answer", "late answer", "late commit"] as const)(
  "others see what was stored before its server knows: %s",
  async (fate) => {
    const operations = await run([fateOf(fate), ...SECRETS, pass(4000), ...SECRETS, pass(20_000)]);

    expect(operations.filter(({ ended }) => ended === undefined)).toEqual([]);
  },
);

test("an outcome that cannot be known is not called a refusal", async () => {
  const operations = await run([
    fateOf("lose answer"),
    { kind: "secret", process: 0 },
    { kind: "restart", downMs: 15_000 },
    pass(12_000),
    pass(35_000),
    ...SECRETS,
    pass(1000),
  ]);

  expect(new Set(errorsOf(operations))).toEqual(
    new Set(["unavailable: The database was lost while this was stored. Whether it is stored is not known."]),
  );
});

test.each([4, 6, 8, 10])(
  "others write after a moment when a server is frozen inside of a transaction, at gate %d",
  async (gates) => {
    const operations = await run(
      [
        { kind: "freeze", process: 0, at: "any", gates },
        { kind: "secret", process: 0 },
        pass(500),
        { kind: "secret", process: 1 },
        { kind: "secret", process: 2 },
        pass(12_000),
        { kind: "crash", process: 0 },
      ],
      1,
    );

    const others = operations.filter(({ process }) => process.name !== "P0");
    expect(others).toHaveLength(2);
    expect(errorsOf(others)).toEqual([]);
  },
);

test("a request sees what was acknowledged before it, without a notification", async () => {
  const client: Action = { kind: "client", process: 0, user: "ann", does: "call" };
  const operations = await run([
    { kind: "api key", process: 1, does: "create" },
    client,
    { kind: "api key", process: 2, does: "delete" },
    client,
  ]);

  const clients = operations.filter(({ step }) => step.kind === "client");
  expect(errorsOf(clients)).toEqual([
    "invalid_authorization: The API key does not exist or was revoked.",
    "invalid_authorization: The API key does not exist or was revoked.",
  ]);
});

test("a server that is cut off from the database begins nothing that others have taken over", async () => {
  const operations = await run([
    { kind: "freeze", process: 0, at: "after a write", gates: 1 },
    { kind: "schedule", process: 0, user: "ann" },
    { kind: "fault", process: 0, fault: "silent" },
    { kind: "thaw", process: 0 },
    pass(35_000),
    { kind: "repair", process: 0 },
    pass(12_000),
  ]);

  expect(operations).not.toBeEmpty();
});
