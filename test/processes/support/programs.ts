// A host of programs for a test, and programs to run in it.
import { onTestFinished } from "bun:test";
import { join, resolve } from "node:path";
import { silentLog } from "../../../src/base";
import { type CageSupport, ProcessHost, type ProcessSpec, type RunningProcess } from "../../../src/processes";
import { temporaryFolder } from "../../support/temporary";
import type { Attempt } from "./probe";

const ROOT = resolve(import.meta.dir, "../../..");
export const EXECUTABLE = [process.execPath, join(ROOT, "cli/main.ts")];
const PROBE = join(import.meta.dir, "probe.ts");

export interface HostOptions {
  hidden?: readonly string[];
  path?: string;
  support?: () => CageSupport;
}

/** To be called inside a test, which it outlives by nothing. */
export function hostForTest(options: HostOptions = {}): ProcessHost {
  const host = new ProcessHost({ executable: EXECUTABLE, hidden: [], log: silentLog, ...options });
  onTestFinished(() => host.close());
  return host;
}

/** A shell with a script. */
export function shell(script: string, parts: Partial<ProcessSpec> = {}): ProcessSpec {
  return program(["/bin/sh", "-c", script], parts);
}

export function program([command = "", ...words]: readonly string[], parts: Partial<ProcessSpec> = {}) {
  return {
    command,
    arguments: words,
    environment: {},
    home: join(temporaryFolder(), "home"),
    sandbox: "cage",
    read: [],
    write: [],
    ...parts,
  } as const satisfies ProcessSpec;
}

/** The probe, with what it needs to run. */
export function probe(attempts: readonly Attempt[], parts: Partial<ProcessSpec> = {}): ProcessSpec {
  const words = [process.execPath, PROBE, JSON.stringify(attempts)];
  return program(words, { ...parts, read: [process.execPath, import.meta.dir, ...(parts.read ?? [])] });
}

export async function outcomes(host: ProcessHost, spec: ProcessSpec): Promise<string[]> {
  const running = await host.start(spec);
  const text = await outputOf(running);
  try {
    // The probe prints a list of names.
    return JSON.parse(text) as string[];
  } catch {
    throw new Error(`the probe printed ${text} and ${running.lastErrors().join("\n")}`);
  }
}

export async function outputOf(running: RunningProcess): Promise<string> {
  return new Response(running.output).text();
}
