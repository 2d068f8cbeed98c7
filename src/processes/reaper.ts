// Ends processes, with everything that descends from them.
import { libc, prctl } from "./libc";
import { allProcesses, descendantsOf, ownChildren } from "./proc";

const PR_SET_CHILD_SUBREAPER = 36;
const WNOHANG = 1;
const PAUSE_MS = 10;

/** Makes this process the parent of every descendant whose own parent ends, also of those in another session. */
export function adoptOrphans(): void {
  if (prctl(PR_SET_CHILD_SUBREAPER, 1) !== 0) throw new Error("orphans could not be adopted");
}

export function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

/** Kills a process and its descendants. All are stopped first, so that none starts another one meanwhile. */
export function killTree(pid: number): void {
  const stopped = new Set<number>();
  const stop = (each: number): boolean => {
    if (stopped.has(each)) return false;
    stopped.add(each);
    signalTo(each, "SIGSTOP");
    return true;
  };
  stop(pid);
  while (descendantsOf(pid, allProcesses()).filter((row) => stop(row.pid)).length > 0);
  for (const each of stopped) signalTo(each, "SIGKILL");
}

/** Children that this process did not start, after those that have ended were collected. */
export function orphans(isOwn: (pid: number) => boolean): number[] {
  return ownChildren().filter((pid) => !isOwn(pid) && libc().waitpid(pid, null, WNOHANG) === 0);
}

/** Kills orphans until none is left, or until the deadline: a process in the kernel may take its time. */
export async function killOrphans(isOwn: (pid: number) => boolean, withinMs: number): Promise<number> {
  let killed = 0;
  for (const end = performance.now() + withinMs; performance.now() < end; await Bun.sleep(PAUSE_MS)) {
    const left = orphans(isOwn);
    if (left.length === 0) break;
    killed += left.length;
    left.forEach(killTree);
  }
  return killed;
}
