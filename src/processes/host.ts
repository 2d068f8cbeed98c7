// Starts programs and ends them. One host for each server: with the first program it starts a watchdog and a supervisor,
// which outlive a killed server for the moment that they need to end its programs.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Log, Redacted, reveal } from "../base";
import { cageSupport, type CageSupport } from "./cage/support";
import { findProgram, USUAL_PATH } from "./command";
import { memoryFile } from "./descriptors";
import type { CagePlan, LaunchPlan } from "./plan";
import { cagePaths } from "./rules";
import { Program } from "./program";
import { ProcessRefused, type ProcessSpec, type RunningProcess } from "./spec";
import { SupervisorLink } from "./supervisor-link";

const DEFAULT_FILES = 4_096;
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
  #link: Promise<SupervisorLink> | undefined;
  #closed = false;

  constructor(parts: ProcessHostParts) {
    this.#parts = parts;
  }

  /** Resolves when the program runs. Throws `ProcessRefused` if it cannot run, with the reason for an operator. */
  async start(spec: ProcessSpec): Promise<RunningProcess> {
    if (this.#closed) throw new ProcessRefused("The server stops.");
    if (process.platform !== "linux") throw new ProcessRefused("Programs run only on Linux.");
    const plan = this.#plan(spec);
    const link = await this.#linked();
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
    const forget = (): void => {
      if (this.#link === link) this.#link = undefined;
    };
    try {
      const opened = await link;
      void opened.gone.then(forget);
      return opened;
    } catch (error) {
      forget();
      throw error;
    }
  }

  #plan(spec: ProcessSpec): LaunchPlan {
    if (spec.sandbox === "cage") {
      const { supported, reason } = (this.#parts.support ?? cageSupport)();
      if (!supported)
        throw new ProcessRefused(`${reason ?? ""} Set "sandbox: none" to run this program without a cage.`);
    }
    const temporary = join(spec.home, "tmp");
    mkdirSync(temporary, { recursive: true, mode: 0o700 });
    const cage = spec.sandbox === "cage" ? cagePaths(spec, this.#parts.hidden) : undefined;
    const path = reveal(spec.environment["PATH"] ?? this.#parts.path ?? process.env["PATH"] ?? USUAL_PATH);
    const program = findProgram(spec.command, path, cage === undefined ? undefined : runnable(cage));
    const given = Object.entries(spec.environment).map(([name, value]) => [name, reveal(value)]);
    const environment = {
      PATH: path,
      HOME: spec.home,
      TMPDIR: temporary,
      LANG: "C.UTF-8",
      ...Object.fromEntries(given),
    };
    return {
      program,
      arguments: [spec.command, ...spec.arguments.map(reveal)],
      environment: Object.entries(environment).map(([name, value]) => `${name}=${value}`),
      folder: spec.home,
      files: spec.limits?.files ?? DEFAULT_FILES,
      ...(cage === undefined ? {} : { cage }),
    };
  }
}

function runnable(cage: CagePlan): string[] {
  return cage.rules.filter(({ access }) => access === "run" || access === "write").map(({ path }) => path);
}

function secretsOf(spec: ProcessSpec): string[] {
  return [...Object.values(spec.environment), ...spec.arguments]
    .filter((value) => value instanceof Redacted)
    .map(reveal);
}
