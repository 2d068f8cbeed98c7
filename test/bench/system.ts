// Information about the system and its processes.
import { readFileSync, statfsSync } from "node:fs";
import { cpus, loadavg } from "node:os";

const TICKS_PER_SECOND = 100;

/** Processor time of a process, s. 0 without /proc. */
export function processorTime(pid: number): number {
  try {
    // The program's name is in parentheses and may contain spaces; utime and stime are fields 14 and 15.
    const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

/** Resident memory of a process, MB of 1,000,000 bytes; undefined if unknown. */
export function residentMemory(pid: number): number | undefined {
  try {
    const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1];
    return kib === undefined ? undefined : (Number(kib) * 1024) / 1_000_000;
  } catch {
    return undefined;
  }
}

/** An fsync on a memory file system costs nothing, so durable writes must not be measured there. */
const TMPFS = 0x01021994;

/** The machine in one line, with reasons for doubtful figures. */
export function machine(folder: string): string {
  const [first, ...others] = cpus();
  const model = first?.model ?? "unknown processor";
  const load = loadavg()[0] ?? 0;
  const busy = load > 0.5 ? ", others are at work: figures are noisy" : "";
  const memory = statfsSync(folder).type === TMPFS ? ", data in memory: durable writes are not" : "";
  return `${others.length + 1} × ${model}, bun ${Bun.version}, load ${load.toFixed(2)}${busy}${memory}`;
}
