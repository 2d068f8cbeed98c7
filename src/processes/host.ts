// Starts programs and ends them. One host for each server: with the first program it starts a watchdog and a supervisor,
// which outlive a killed server for the moment that they need to end its programs.
import { type Log, Redacted, reveal } from "../base";
import type { CageSupport } from "./cage/support";
import { memoryFile } from "./descriptors";
import { Gate } from "./gate";
import { launchPlan } from "./launch-plan";
import { Program } from "./program";
import { ProcessRefused, type ProcessSpec, type RunningProcess } from "./spec";
import { SupervisorLink } from "./supervisor-link";

/** More would only compete for the processor. */
const STARTS_AT_A_TIME = 8;
const DEFAULT_PROCESSES = 256;
const DEFAULT_MEMORY = 2 * 1_024 ** 3;

export interface ProcessHostParts {
  /** How to run ourselves: `ownExecutable()`. */
  executable: readonly string[];
  /** Folders and files that no caged program may read: the data folder, the configuration, the root key. */
  hidden: readonly string[];
  log: Log;
  /** What the kernel offers; tests give another answer. */
  support?: () => CageSupport;
  /** PATH of this process, where programs are looked up. */
  path?: string | undefined;
}

export class ProcessHost {
  readonly #parts: ProcessHostParts;
  readonly #programs = new Set<Program>();
  readonly #starts = new Gate(STARTS_AT_A_TIME);
  #link: Promise<SupervisorLink> | undefined;
  #closed = false;

  constructor(parts: ProcessHostParts) {
    this.#parts = parts;
  }

  /** Resolves when the program runs. Throws `ProcessRefused` if it cannot run, with the reason for an operator. */
  async start(spec: ProcessSpec): Promise<RunningProcess> {
    return this.#starts.run(() => this.#start(spec));
  }

  async #start(spec: ProcessSpec): Promise<Program> {
    if (process.platform !== "linux") throw new ProcessRefused("Programs run only on Linux.");
    const plan = launchPlan(spec, this.#parts);
    const link = await this.#linked();
    if (this.#closed) throw new ProcessRefused("The server is stopping.");
    const program = new Program(crypto.randomUUID().replaceAll("-", ""), secretsOf(spec));
    this.#programs.add(program);
    void program.ended.then(() => this.#programs.delete(program));
    const { memoryBytes = DEFAULT_MEMORY, processes = DEFAULT_PROCESSES } = spec.limits ?? {};
    await program.start(link, memoryFile(JSON.stringify(plan)), { memoryBytes, processes });
    return program;
  }

  /** Ends all programs, then the supervisor. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#programs].map((program) => program.end()));
    await (await this.#link?.catch(() => undefined))?.close();
  }

  async #linked(): Promise<SupervisorLink> {
    const link = (this.#link ??= SupervisorLink.open(this.#parts.executable, this.#parts.log));
    try {
      const opened = await link;
      if (opened.isOpen) return opened;
    } catch (error) {
      this.#forget(link);
      throw error;
    }
    this.#forget(link);
    return this.#linked();
  }

  #forget(link: Promise<SupervisorLink>): void {
    if (this.#link === link) this.#link = undefined;
  }
}

function secretsOf(spec: ProcessSpec): string[] {
  return [...Object.values(spec.environment), ...spec.arguments]
    .filter((value) => value instanceof Redacted)
    .map(reveal);
}
