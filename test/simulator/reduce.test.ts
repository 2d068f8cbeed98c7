// A failing seed can be replayed and reduced. A patch that brings a fault back makes one fail.
import { afterAll, expect, test } from "bun:test";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { applyPatch, scratchCopy } from "../mutants/run";

const PATCH = join(import.meta.dir, "..", "mutants", "audit-ordered-by-time.patch");
const FAULT = ["--seed", "1", "--seeds", "200", "--first", "--only", "auditInOrder"];
const copy = scratchCopy();

afterAll(() => rmSync(copy, { recursive: true, force: true }));

async function run(...options: string[]): Promise<string> {
  const command = [process.execPath, "test/simulator/run.ts", ...options];
  return Bun.spawn(command, { cwd: copy, stdout: "pipe", stderr: "inherit" }).stdout.text();
}

test("a failing seed fails in the same way each time, and with few steps after it is reduced", async () => {
  await applyPatch(copy, { patch: readFileSync(PATCH, "utf8") });
  const first = await run(...FAULT);
  const [, seed = ""] = /^seed (\d+): auditInOrder/m.exec(first) ?? [];

  const again = await run("--seed", seed, "--only", "auditInOrder");
  const reduced = await run("--seed", seed, "--only", "auditInOrder", "--reduce");
  const reducedAgain = await run("--seed", seed, "--only", "auditInOrder", "--reduce");

  const stepsOf = (output: string): string[] => output.split("\n").filter((line) => /^ +\d+ /.test(line));
  expect(again.split("\n\n")[0]).toBe(first.split("\n\n")[0] ?? "");
  expect(reducedAgain).toBe(reduced);
  expect(reduced).toContain(`seed ${seed}: auditInOrder`);
  expect(stepsOf(reduced).length).toBeGreaterThan(0);
  expect(stepsOf(reduced).length).toBeLessThan(10);
  expect(stepsOf(reduced).every((step) => stepsOf(first).includes(step))).toBe(true);
}, 120_000);
