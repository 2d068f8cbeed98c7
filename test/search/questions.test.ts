import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { wholeRegistry } from "./catalog";
import { HELD_OUT, QUESTIONS, TUNING } from "./questions";

describe("the questions", () => {
  test("are a hundred, half of them held out", () => {
    expect(new Set(QUESTIONS.map(({ ask }) => ask)).size).toBe(100);
    expect([TUNING.length, HELD_OUT.length]).toEqual([50, 50]);
    expect(new Set([...TUNING, ...HELD_OUT]).size).toBe(100);
  });

  test("name tools that exist, among more than 2,000", () => {
    const registry = wholeRegistry();
    const names = new Set(registry.tools.map(({ qualifiedName }) => qualifiedName));
    const unknown = QUESTIONS.flatMap(({ answers }) => answers).filter((name) => !names.has(name));

    expect(unknown).toEqual([]);
    expect(registry.skipped).toEqual([]);
    expect(names.size).toBeGreaterThanOrEqual(2054);
  });

  test("have not changed since they were written", () => {
    const text = JSON.stringify([QUESTIONS, HELD_OUT.map(({ ask }) => ask)]);

    expect(createHash("sha256").update(text).digest("hex")).toBe(
      "65d9764078a12799d42119a63ebb068aa531356322b57dc27b60520fe25c980d",
    );
  });
});
