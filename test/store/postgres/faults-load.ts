// Processes that write and read while a test disturbs their database, and the account of what they were told.
import { expect } from "bun:test";
import { join } from "node:path";
import { connectorOf } from "../../../src/store/postgres/connector";
import { openPostgres } from "../../../src/store/postgres/postgres";
import type { Told } from "./faults-process";
import { MARKS, migrations } from "./faults-tables";

/** What has not recovered by then never does. The long-running test prints how long it takes. */
const STUCK_MS = 60_000;
const PROCESSES = 3;

interface Process {
  child: Bun.Subprocess<"pipe", "pipe", "inherit">;
  /** Killed by the test: it recovers no more. */
  killed: boolean;
}

const RESULTS: readonly Told["is"][] = ["stored", "refused", "unknown"];

function isResult({ is }: Told): boolean {
  return RESULTS.includes(is);
}

function repeatedIn(names: readonly string[]): string[] {
  const seen = new Set<string>();
  return names.filter((name) => seen.has(name) || !seen.add(name));
}

export class Load implements AsyncDisposable {
  readonly told: Told[] = [];
  /** The longest time from the end of a cause to an answer that was asked after it, ms. */
  slowest = 0;
  readonly #url: string;
  readonly #schema = `f${crypto.randomUUID().slice(0, 8)}`;
  readonly #processes: Process[] = [];
  readonly #waiting = new Set<() => void>();
  readonly #toldBy = new Map<Process, Told[]>();

  constructor(url: string) {
    this.#url = url;
  }

  /** Starts processes; fulfilled when each has stored something. */
  async start(count = PROCESSES): Promise<void> {
    for (let started = 0; started < count; started++) this.#spawn();
    await this.works(0);
  }

  /** The process number `index` of those that were not killed. */
  process(index: number): Process {
    const found = this.#running()[index];
    if (found === undefined) throw new Error("all processes were killed");
    return found;
  }

  send(process: Process, line: string): void {
    process.child.stdin.write(`${line}\n`);
    void process.child.stdin.flush();
  }

  async kill(process: Process): Promise<void> {
    process.killed = true;
    process.child.kill("SIGKILL");
    await process.child.exited;
  }

  /** Waits until any process was told something like this. */
  async until(isIt: (told: Told) => boolean, from = 0, by?: Process): Promise<void> {
    const list = by === undefined ? this.told : (this.#toldBy.get(by) ?? []);
    let looked = from;
    for (;;) {
      for (; looked < list.length; looked++) if (isIt(list[looked] ?? { is: "wrong" })) return;
      if (this.#running().some(({ child }) => child.exitCode !== null))
        throw new Error(`a process has ended: ${JSON.stringify(this.told.slice(-5))}`);
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  /** Fulfilled when each process has stored and read something that it asked for after `since`. */
  async works(since: number, except?: Process): Promise<void> {
    await Promise.all(
      this.#running()
        .filter((process) => process !== except)
        .flatMap((process) => [
          this.until(({ is, asked = 0 }) => is === "stored" && asked >= since, 0, process),
          this.until(({ is, asked = 0 }) => is === "read" && asked >= since, 0, process),
        ]),
    );
  }

  /** Called when the cause of a fault has ended: everything works again. */
  async recovers(except?: Process): Promise<void> {
    const started = performance.now();
    await this.works(Date.now(), except);
    const took = Math.round(performance.now() - started);
    this.slowest = Math.max(this.slowest, took);
    expect(took).toBeLessThan(STUCK_MS);
  }

  /** Ends the processes in an orderly way and compares what is stored with what they were told. */
  async account(): Promise<{ stored: number; unknown: number; refused: number; unread: number }> {
    await Promise.all(
      this.#running().map(async (process) => {
        this.send(process, "stop");
        expect(await process.child.exited).toBe(0);
      }),
    );
    const connector = connectorOf({ url: this.#url, preparedStatements: true, applicationName: "account" });
    const store = openPostgres({
      connector,
      schema: this.#schema,
      migrations,
      instance: crypto.randomUUID(),
    });
    const marks = await store.all(MARKS);
    await store.close();
    const operations = marks.map(({ operation }) => operation);
    const there = new Set(operations);
    const named = (is: Told["is"]): string[] =>
      this.told.flatMap((told) => (told.is === is ? [told.operation ?? told.text ?? ""] : []));
    const count = (is: Told["is"]): number => named(is).length;
    expect(this.told.filter(({ is }) => is === "wrong")).toEqual([]);
    // Otherwise a repeated transaction could not be told from two operations.
    expect(repeatedIn(this.told.flatMap((told) => (isResult(told) ? [told.operation ?? ""] : [])))).toEqual(
      [],
    );
    // No transaction was repeated, and none has seen the same value as another one.
    expect(repeatedIn(operations)).toEqual([]);
    expect(marks.map(({ seen }) => seen)).toEqual(marks.map((_, index) => index));
    expect(named("stored").filter((operation) => !there.has(operation))).toEqual([]);
    expect(named("refused").filter((operation) => there.has(operation))).toEqual([]);
    return {
      stored: count("stored"),
      unknown: count("unknown"),
      refused: count("refused"),
      unread: count("unread"),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { child } of this.#processes) child.kill("SIGKILL");
    await Promise.all(this.#processes.map(({ child }) => child.exited));
  }

  #spawn(): void {
    const command = [process.execPath, join(import.meta.dir, "faults-process.ts"), this.#url, this.#schema];
    const child = Bun.spawn(command, { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
    const started: Process = { child, killed: false };
    this.#processes.push(started);
    this.#toldBy.set(started, []);
    void this.#listen(started);
  }

  async #listen(started: Process): Promise<void> {
    let rest = "";
    void started.child.exited.then(() => this.#wake());
    for await (const text of started.child.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      // The process is a part of this test.
      const told = lines.map((line) => JSON.parse(line) as Told);
      this.told.push(...told);
      this.#toldBy.get(started)?.push(...told);
      this.#wake();
    }
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  #running(): Process[] {
    return this.#processes.filter(({ killed }) => !killed);
  }
}
