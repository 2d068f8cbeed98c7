// The first process of a container becomes the parent of every process whose own parent has ended, for example of what a
// command left that was run in the container. Nothing else collects them when they end, and they would fill the table of
// processes.
import { readFileSync } from "node:fs";
import { libc } from "./libc";
import { ownChildren } from "./proc";

const LOOK_EVERY_MS = 2000;
const WNOHANG = 1;

/** Collects processes that have ended, for as long as this one lives. */
export function collectOrphans(): void {
  let before = new Set<number>();
  const look = (): void => {
    const ended = ownChildren().filter(hasEnded);
    // The engine collects its own children at once, and must get their exit codes: what is left since the last look is not
    // one of them.
    for (const pid of ended) if (before.has(pid)) libc().waitpid(pid, null, WNOHANG);
    before = new Set(ended);
  };
  setInterval(look, LOOK_EVERY_MS).unref();
}

// The state is the first field after the name, which is in parentheses.
function hasEnded(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z");
  } catch {
    // It was collected in between.
    return false;
  }
}
