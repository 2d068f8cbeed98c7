// Programs of others: what the cage and its supervisor add to a start, and what programs cost that do nothing.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { silentLog } from "../../../src/base";
import { ProcessHost, type ProcessSpec } from "../../../src/processes";
import type { Bench, Context, Row } from "../bench";
import { atMost } from "../bound";
import { median, spread } from "../figures";
import { inTurn } from "../rounds";
import { EXECUTABLE } from "../server-under-test";

const STARTS = 25;
const IDLE = 50;
const IDLE_SECONDS = 20;
const COMMAND = ["/bin/sh", "-c", "echo up"];
/** Of the fields of `/proc/PID/stat`: hundredths of a second. */
const TICK_MS = 10;

export const programs: Bench = {
  name: "stdio-start",
  about: "start of a caged program to its first output, against a bare spawn; 50 programs that do nothing",
  run: async (context) => {
    const rows: Row[] = [
      { name: "stdio-start", measured: "", baseline: "", bound: atMost(40, "ms") },
      { name: "stdio-idle", measured: "", baseline: "", bound: atMost(10, "ms") },
    ];
    if (!existsSync(EXECUTABLE)) return rows.map((row) => ({ ...row, note: "no executable: bun run build" }));
    const host = new ProcessHost({ executable: [EXECUTABLE], hidden: [], log: silentLog });
    try {
      return [await startRow(context, host), await idleRow(context, host)];
    } finally {
      await host.close();
    }
  },
};

function spec(context: Context, command: readonly string[]): ProcessSpec {
  const [program = "", ...words] = command;
  const home = join(context.folder, "program");
  return { command: program, arguments: words, environment: {}, home, sandbox: "cage", read: [], write: [] };
}

async function startRow(context: Context, host: ProcessHost): Promise<Row> {
  // The first start also starts the supervisor.
  await started(context, host);
  const times = await inTurn(STARTS, { ours: () => started(context, host), baseline: spawned });
  const added = times.ours.map((ms, round) => ms - (times.baseline[round] ?? NaN));
  const ms = (values: readonly number[]): string => `${median(values).toFixed(1)} ms`;
  return {
    name: "stdio-start",
    measured: ms(times.ours),
    baseline: ms(times.baseline),
    figure: median(added),
    spread: spread(added),
    bound: atMost(40, "ms"),
    note: `added to a bare spawn; ${STARTS} starts`,
  };
}

async function started(context: Context, host: ProcessHost): Promise<number> {
  const begin = performance.now();
  const running = await host.start(spec(context, COMMAND));
  await running.output.getReader().read();
  const ms = performance.now() - begin;
  await running.ended;
  return ms;
}

async function spawned(): Promise<number> {
  const begin = performance.now();
  const child = Bun.spawn(COMMAND, { stdio: ["pipe", "pipe", "pipe"] });
  await child.stdout.getReader().read();
  const ms = performance.now() - begin;
  await child.exited;
  return ms;
}

async function idleRow(context: Context, host: ProcessHost): Promise<Row> {
  const running = [];
  for (let count = 0; count < IDLE; count++)
    running.push(await host.start(spec(context, ["/bin/sleep", "1000"])));
  const supervisor = parentOf(running[0]?.pid ?? 0);
  const guards = [supervisor, parentOf(supervisor)];
  const used = (): number => guards.reduce((sum, pid) => sum + processorMs(pid), 0);
  await Bun.sleep(2_000);
  const before = used();
  await Bun.sleep(IDLE_SECONDS * 1_000);
  const figure = (used() - before) / IDLE_SECONDS;
  return {
    name: "stdio-idle",
    measured: `${figure.toFixed(1)} ms/s`,
    baseline: "",
    figure,
    bound: atMost(10, "ms"),
    note: `processor time of supervisor and watchdog in a second, with ${IDLE} idle programs`,
  };
}

function parentOf(pid: number): number {
  return Number(/^PPid:\t(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}

function processorMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
