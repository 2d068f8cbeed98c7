// The supervisor: the parent of all programs. It starts them for the server, notices their end, and ends them when the
// server is gone, however it went. It reads no data of programs and knows no secrets.
import { closeAll, receiveDescriptors } from "./descriptors";
import { Growth } from "./growth";
import { libc, prctl, text, ptr } from "./libc";
import { eachLine, type Notice, type Order } from "./messages";
import { PASSED_DESCRIPTORS, roleCommand } from "./plan";
import { allProcesses, descendantsOf } from "./proc";
import { adoptOrphans, killOrphans, killTree, orphans, signalTo } from "./reaper";

const PR_SET_PDEATHSIG = 1;
const PR_SET_DUMPABLE = 4;
const PR_SET_NAME = 15;
const SIGTERM = 15;
/** Its end of the socket over which the server passes descriptors. */
export const SOCKET_DESCRIPTOR = 3;

const ORPHANS_EVERY_MS = 1_000;
const MEMORY_EVERY_MS = 5_000;
const GRACE_MS = 3_000;
const SETTLE_MS = 20;
const REAPING_MS = 5_000;
const MEGABYTE = 1_048_576;

interface Program {
  readonly id: string;
  readonly pid: number;
  readonly exited: Promise<unknown>;
  readonly memoryBytes: number;
  readonly processes: number;
  reason?: string;
  ending?: Ending;
}

/** Descendants of a program that was asked to end, and until when they may do it by themselves. */
interface Ending {
  readonly pids: ReadonlySet<number>;
  readonly until: number;
}

/** Common to the supervisor and the watchdog: a name, no memory that others may read, no orphans elsewhere. */
export function becomeGuard(name: string): void {
  const bytes = text(name);
  prctl(PR_SET_NAME, ptr(bytes));
  prctl(PR_SET_DUMPABLE, 0);
  adoptOrphans();
}

/** Runs until the server closes its end, or ends. */
export async function supervise(executable: readonly string[]): Promise<void> {
  becomeGuard("supervisor");
  const supervisor = new Supervisor(executable);
  // Without its watchdog it would be the last one.
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  process.on("SIGTERM", () => void supervisor.endAll().then(() => process.exit(0)));
  // The server may be gone when the last words are written.
  process.stdout.on("error", () => undefined);
  supervisor.tell({ notice: "ready" });
  await eachLine(Bun.stdin.stream(), (line) => supervisor.obey(JSON.parse(line) as Order));
  await supervisor.endAll();
}

class Supervisor {
  readonly #executable: readonly string[];
  readonly #programs = new Map<number, Program>();
  /** What programs that have ended left behind, and that may still end by itself. */
  readonly #settling = new Set<Ending>();
  readonly #growth = new Growth();
  #orphanTimer: Timer | undefined;
  #memoryTimer: Timer | undefined;

  constructor(executable: readonly string[]) {
    this.#executable = executable;
  }

  tell(notice: Notice): void {
    process.stdout.write(`${JSON.stringify(notice)}\n`);
  }

  obey(order: Order): void {
    if (order.order === "start") this.#start(order);
    else this.#end(order.id);
  }

  #start(order: Order & { order: "start" }): void {
    const { id, memoryBytes, processes } = order;
    const { name, descriptors } = receiveDescriptors(SOCKET_DESCRIPTOR, PASSED_DESCRIPTORS);
    if (name !== id) throw new Error("descriptors of another start arrived");
    let child: Bun.Subprocess;
    try {
      child = this.#launcher(descriptors);
    } catch (error) {
      const end = { code: null, signal: null, reason: `No process could be started: ${String(error)}` };
      this.tell({ notice: "ended", id, end });
      return;
    } finally {
      closeAll(descriptors);
    }
    const program: Program = { id, pid: child.pid, exited: child.exited, memoryBytes, processes };
    this.#programs.set(child.pid, program);
    this.#watch();
    this.tell({ notice: "started", id, pid: child.pid });
    void child.exited.then(() => this.#ended(program, child.exitCode, child.signalCode));
  }

  #launcher(descriptors: number[]): Bun.Subprocess {
    const { cmd, argv0 } = roleCommand(this.#executable, "process-launcher");
    return Bun.spawn([...cmd, String(process.pid)], {
      argv0,
      cwd: "/",
      env: {},
      // A session of its own: no terminal, and a group for signals.
      detached: true,
      stdio: descriptors as [number, number, number],
    });
  }

  async #ended(program: Program, code: number | null, signal: string | number | null): Promise<void> {
    this.#programs.delete(program.pid);
    await this.#settle(program);
    await killOrphans((pid) => this.#isSpared(pid), REAPING_MS);
    if (this.#programs.size === 0) this.#rest();
    const { id, reason } = program;
    const end = {
      code,
      signal: signal === null ? null : String(signal),
      ...(reason === undefined ? {} : { reason }),
    };
    this.tell({ notice: "ended", id, end });
  }

  // What was asked to end with the program gets the same time as the program itself.
  async #settle(program: Program): Promise<void> {
    const ending = program.ending;
    if (ending === undefined) return;
    this.#settling.add(ending);
    while (performance.now() < ending.until) {
      const left = new Set(orphans((pid) => this.#programs.has(pid)));
      if (![...ending.pids].some((pid) => left.has(pid))) break;
      await Bun.sleep(SETTLE_MS);
    }
    this.#settling.delete(ending);
  }

  #isSpared(pid: number): boolean {
    return this.#programs.has(pid) || [...this.#settling].some(({ pids }) => pids.has(pid));
  }

  #end(id: string): void {
    const program = [...this.#programs.values()].find((each) => each.id === id);
    if (program === undefined || program.ending !== undefined) return;
    const pids = new Set(descendantsOf(program.pid, allProcesses()).map(({ pid }) => pid));
    program.ending = { pids, until: performance.now() + GRACE_MS };
    signalTo(-program.pid, "SIGTERM");
    setTimeout(() => {
      if (this.#programs.get(program.pid) === program) killTree(program.pid);
    }, GRACE_MS);
  }

  async endAll(): Promise<void> {
    this.#rest();
    const programs = [...this.#programs.values()];
    for (const { pid } of programs) killTree(pid);
    // The engine collects the programs themselves.
    await Promise.race([Promise.all(programs.map(({ exited }) => exited)), Bun.sleep(REAPING_MS)]);
    await killOrphans((pid) => this.#programs.has(pid), REAPING_MS);
  }

  // Timers run only while there are programs.
  #watch(): void {
    this.#orphanTimer ??= setInterval(() => void this.#look(), ORPHANS_EVERY_MS);
    this.#memoryTimer ??= setInterval(() => this.#checkMemory(), MEMORY_EVERY_MS);
  }

  #rest(): void {
    clearInterval(this.#orphanTimer);
    clearInterval(this.#memoryTimer);
    this.#orphanTimer = undefined;
    this.#memoryTimer = undefined;
  }

  async #look(): Promise<void> {
    if (this.#growth.noticed()) this.#checkMemory();
    const isOwn = (pid: number): boolean => this.#isSpared(pid);
    if (orphans(isOwn).length === 0) return;
    this.tell({ notice: "orphans", count: await killOrphans(isOwn, REAPING_MS) });
  }

  #checkMemory(): void {
    const rows = allProcesses();
    const pageBytes = libc().getpagesize();
    for (const program of this.#programs.values()) {
      const own = rows.filter(({ pid }) => pid === program.pid);
      const tree = [...own, ...descendantsOf(program.pid, rows)];
      const bytes = tree.reduce((sum, { pages }) => sum + pages, 0) * pageBytes;
      if (bytes > program.memoryBytes)
        this.#stop(program, `It used more than ${Math.floor(program.memoryBytes / MEGABYTE)} MB of memory.`);
      else if (tree.length > program.processes)
        this.#stop(program, `It ran more than ${program.processes} processes at the same time.`);
    }
  }

  #stop(program: Program, reason: string): void {
    program.reason = reason;
    killTree(program.pid);
  }
}
