// Reads /proc: which processes there are, who started them, and what memory they use.
import { readdirSync, readFileSync } from "node:fs";

export interface ProcessRow {
  pid: number;
  parent: number;
  /** Resident memory, in pages. */
  pages: number;
}

/** All processes that can be seen. */
export function allProcesses(): ProcessRow[] {
  const rows: ProcessRow[] = [];
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    const row = rowOf(pid);
    if (row !== undefined) rows.push(row);
  }
  return rows;
}

// The name of the program, in parentheses, may contain anything. After it: state, parent, ...; memory is the 24th field.
function rowOf(pid: number): ProcessRow | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { pid, parent: Number(fields[1]), pages: Number(fields[21]) };
  } catch {
    // It ended in between.
    return undefined;
  }
}

/** The children of this process, whichever of its threads they belong to. */
export function ownChildren(): number[] {
  try {
    return readdirSync("/proc/self/task").flatMap((thread) =>
      readFileSync(`/proc/self/task/${thread}/children`, "latin1").split(" ").filter(Boolean).map(Number),
    );
  } catch {
    // Kernels without CONFIG_PROC_CHILDREN, or a thread that ended in between.
    return allProcesses()
      .filter(({ parent }) => parent === process.pid)
      .map(({ pid }) => pid);
  }
}

/** Everything that descends from `pid`, without itself. */
export function descendantsOf(pid: number, rows: readonly ProcessRow[]): ProcessRow[] {
  const byParent = Map.groupBy(rows, ({ parent }) => parent);
  const found: ProcessRow[] = [];
  const waiting = [pid];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const row of byParent.get(next) ?? []) {
      found.push(row);
      waiting.push(row.pid);
    }
  }
  return found;
}
