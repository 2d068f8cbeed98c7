// Limits of the kernel for a program. There is none for memory: engines of JavaScript and WebAssembly reserve far more
// addresses than they use, so RLIMIT_AS ends them at start. The supervisor measures the memory that is used instead.
import { readFileSync, writeFileSync } from "node:fs";
import { libc, ptr } from "./libc";

const RLIMIT_CORE = 4;
const RLIMIT_NPROC = 6;
const RLIMIT_NOFILE = 7;

/** A bound against a program that starts others without end. It counts all processes of the user, so it is far above. */
const MORE_THREADS = 4_096;
const OUT_OF_MEMORY_SCORE = "500";

export function applyLimits(files: number): void {
  // A core dump would contain the program's secrets.
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_NOFILE, files);
  limit(RLIMIT_NPROC, threadsOfSystem() + MORE_THREADS);
}

/** The kernel ends the program before us when memory runs out. */
export function preferAsVictim(): void {
  try {
    writeFileSync("/proc/self/oom_score_adj", OUT_OF_MEMORY_SCORE);
  } catch {
    // Some containers make it read-only. The supervisor's limit remains.
  }
}

function limit(resource: number, value: number): void {
  libc().setrlimit(resource, ptr(new BigUint64Array([BigInt(value), BigInt(value)])));
}

// The fourth word is "running/all".
function threadsOfSystem(): number {
  try {
    return Number(readFileSync("/proc/loadavg", "utf8").split(" ")[3]?.split("/")[1] ?? 0);
  } catch {
    return 0;
  }
}
