// The memory of the processes that this one has started.
import { readdirSync, readFileSync } from "node:fs";

/** Resident memory of everything that descends from this process, in bytes; undefined if the kernel does not tell. */
export function memoryOfChildren(): number | undefined {
  try {
    return memoryBelow("self");
  } catch {
    return undefined;
  }
}

function memoryBelow(pid: string): number {
  let bytes = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const children = readFileSync(`/proc/${pid}/task/${thread}/children`, "latin1");
    for (const child of children.split(" ").filter(Boolean)) bytes += memoryOf(child);
  }
  return bytes;
}

function memoryOf(pid: string): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "latin1");
    const line = status.split("\n").find((each) => each.startsWith("VmRSS:"));
    const kilobytes = Number.parseInt(line?.slice("VmRSS:".length) ?? "0", 10);
    return kilobytes * 1024 + memoryBelow(pid);
  } catch {
    // It ended in between.
    return 0;
  }
}
