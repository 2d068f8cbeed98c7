// Finds processes of a test, whoever is their parent: each has the test's mark in its environment.
import { readdirSync, readFileSync } from "node:fs";

/** A variable with a value that no other process has. */
export function newMark(): Record<string, string> {
  return { TEST_MARK: crypto.randomUUID() };
}

/** Processes with the mark that have not ended. */
export function marked(mark: Record<string, string>): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && has(pid, mark["TEST_MARK"] ?? ""));
}

function has(pid: number, text: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").includes(text);
  } catch {
    // It ended, or belongs to someone else.
    return false;
  }
}

/** Waits until the condition holds, at most five seconds: what is promised. Returns whether it does. */
export async function within5Seconds(condition: () => boolean): Promise<boolean> {
  for (const end = performance.now() + 5_000; performance.now() < end; await Bun.sleep(20))
    if (condition()) return true;
  return condition();
}
