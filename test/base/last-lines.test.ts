import { expect, test } from "bun:test";
import { createLog } from "../../src/base";

const clock = { now: () => 0, monotonic: () => 0, sleep: () => Promise.resolve() };

test("a log keeps the last lines, without those at debug and long ones", () => {
  const written: string[] = [];
  const log = createLog({ level: "debug", clock, write: (line) => written.push(line), keeps: 3 });

  for (const message of ["one", "two", "three", "four"]) log.info(message);
  log.debug("of a user");
  log.warn("x".repeat(5000));
  log.warn("five");

  expect(written).toHaveLength(7);
  expect(log.lastLines.map((line) => JSON.parse(line).message)).toEqual(["three", "four", "five"]);
});

test("a log keeps nothing unless it is told to", () => {
  const log = createLog({ level: "info", clock, write: () => undefined });
  log.info("one");
  expect(log.lastLines).toEqual([]);
});
