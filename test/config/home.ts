// Home folders with a configuration file, and the errors of loading it.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Config, ConfigSources, Environment } from "../../src/config";
import { RuntimeError } from "../../src/errors";
import { loadConfig } from "../support/config";
import { temporaryFolder } from "../support/temporary";

/** A new home folder, with `runtime.yaml` if `yaml` is given. Call it inside a test. */
export function newHome(yaml?: string): { home: string; file: string } {
  const home = temporaryFolder();
  const file = join(home, ".config", "runtime", "runtime.yaml");
  if (yaml !== undefined) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, yaml);
  }
  return { home, file };
}

/** Loads from a home folder with this `runtime.yaml` and environment. */
export function load(
  yaml: string | undefined,
  environment: Environment = {},
  rest: Partial<ConfigSources> = {},
): Config {
  return loadConfig({ ...rest, environment: { HOME: newHome(yaml).home, ...environment } });
}

/** The message of the `configuration` error that `work` throws. Fails if it throws no such error. */
export function refusalOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof RuntimeError && error.name === "configuration") return error.message;
    throw error;
  }
  throw new Error("no error was thrown");
}
