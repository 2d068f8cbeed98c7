// The server's side of one program: its pipes, its state, its end.
import { closeSync } from "node:fs";
import { closeAll, openPipe, withoutBlocking } from "./descriptors";
import { ErrorLines } from "./error-lines";
import { InputPipe } from "./input-pipe";
import { outputPipe } from "./output-pipe";
import { ProcessRefused, type ProcessEnd, type RunningProcess } from "./spec";
import type { SupervisorLink } from "./supervisor-link";

const INPUT_ENDS_MS = 300;

export class Program implements RunningProcess {
  readonly id: string;
  readonly ended: Promise<ProcessEnd>;
  #pid = 0;
  #link: SupervisorLink | undefined;
  #input: InputPipe | undefined;
  #output: ReturnType<typeof outputPipe> | undefined;
  readonly #errors: ErrorLines;
  readonly #ended = Promise.withResolvers<ProcessEnd>();
  #over = false;

  /** `secrets` are texts that must not appear in `lastErrors`. */
  constructor(id: string, secrets: readonly string[]) {
    this.id = id;
    this.#errors = new ErrorLines(secrets);
    this.ended = this.#ended.promise;
  }

  get pid(): number {
    return this.#pid;
  }

  get output(): ReadableStream<Uint8Array> {
    if (this.#output === undefined) throw new Error("the program was not started");
    return this.#output.stream;
  }

  /** Resolves when the program runs in place of the launcher. `plan` is closed in any case. */
  async start(
    link: SupervisorLink,
    plan: number,
    limits: { memoryBytes: number; processes: number },
  ): Promise<void> {
    this.#link = link;
    const [input, output, errors, refusal] = [openPipe(), openPipe(), openPipe(), openPipe()];
    const passed = [input.read, output.write, errors.write, plan, refusal.write];
    try {
      link.start({ order: "start", id: this.id, ...limits }, passed, {
        started: (pid) => (this.#pid = pid),
        ended: (end) => this.#finish(end),
      });
    } catch (error) {
      closeAll([input.write, output.read, errors.read, refusal.read]);
      this.#finish({ code: null, signal: null });
      throw error;
    } finally {
      closeAll(passed);
    }
    withoutBlocking(input.write);
    this.#input = new InputPipe(input.write);
    this.#output = outputPipe(output.read);
    this.#errors.readFrom(errors.read);
    const refused = await textOf(refusal.read);
    if (refused === "") return;
    await this.ended;
    await this.#output.close();
    throw new ProcessRefused(refused);
  }

  async write(line: string): Promise<void> {
    if (this.#over || this.#input === undefined) throw new Error("the program has ended");
    await this.#input.write(line);
  }

  lastErrors(): string[] {
    return this.#errors.lines();
  }

  async end(): Promise<void> {
    this.#input?.close();
    // Most programs end by themselves when their input ends.
    await Promise.race([this.ended, Bun.sleep(INPUT_ENDS_MS)]);
    this.#link?.end(this.id);
    await this.ended;
    await this.#output?.close();
  }

  #finish(end: ProcessEnd): void {
    if (this.#over) return;
    this.#over = true;
    this.#input?.close();
    this.#ended.resolve(end);
  }
}

async function textOf(descriptor: number): Promise<string> {
  try {
    return await new Response(Bun.file(descriptor).stream()).text();
  } finally {
    closeSync(descriptor);
  }
}
