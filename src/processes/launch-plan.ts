// Makes the plan of a start from what the caller wants. Everything that can be wrong is said here, before a process exists.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { reveal } from "../base";
import { cageSupport, type CageSupport } from "./cage/support";
import { findProgram, mayRun, USUAL_PATH } from "./command";
import type { CagePlan, LaunchPlan } from "./plan";
import { cagePaths } from "./rules";
import { ProcessRefused, type ProcessSpec } from "./spec";

const DEFAULT_FILES = 4_096;

export interface PlanParts {
  hidden: readonly string[];
  support?: () => CageSupport;
  path?: string | undefined;
}

/** Creates the home of the program. Throws `ProcessRefused`. */
export function launchPlan(spec: ProcessSpec, parts: PlanParts): LaunchPlan {
  if (spec.sandbox === "cage") requireCage((parts.support ?? cageSupport)());
  const temporary = join(spec.home, "tmp");
  createHome(temporary);
  const cage = spec.sandbox === "cage" ? cagePaths(spec, parts.hidden) : undefined;
  refuseNul([
    spec.command,
    ...spec.arguments.map(reveal),
    ...Object.entries(spec.environment).flat().map(reveal),
  ]);
  const runnable = cage === undefined ? undefined : runnableIn(cage);
  const path = parts.path ?? process.env["PATH"] ?? USUAL_PATH;
  const given = Object.fromEntries(
    Object.entries(spec.environment).map(([name, value]) => [name, reveal(value)]),
  );
  const environment = {
    PATH: usableFolders(path, runnable),
    HOME: spec.home,
    TMPDIR: temporary,
    LANG: "C.UTF-8",
    ...given,
  };
  return {
    program: findProgram(spec.command, given["PATH"] ?? path, runnable),
    arguments: [spec.command, ...spec.arguments.map(reveal)],
    environment: Object.entries(environment).map(([name, value]) => `${name}=${value}`),
    folder: spec.home,
    files: spec.limits?.files ?? DEFAULT_FILES,
    ...(cage === undefined ? {} : { cage }),
  };
}

// The kernel takes it as the end of the text.
function refuseNul(texts: readonly string[]): void {
  if (texts.some((each) => each.includes("\0")))
    throw new ProcessRefused("A command, argument or variable contains the character NUL. Remove it.");
}

function createHome(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new ProcessRefused(`The folder ${folder} of the program cannot be created: ${String(error)}`);
  }
}

function requireCage({ supported, reason }: CageSupport): void {
  if (!supported)
    throw new ProcessRefused(`${reason ?? ""} Set "sandbox: none" to run this program without a cage.`);
}

function runnableIn({ rules }: CagePlan): string[] {
  return rules.filter(({ access }) => access === "run" || access === "write").map(({ path }) => path);
}

// Programs that the program starts are looked up there. A folder outside of the cage would only hide the ones after it.
function usableFolders(path: string, runnable: readonly string[] | undefined): string {
  const folders = path.split(":").filter((folder) => folder.startsWith("/") && mayRun(folder, runnable));
  return folders.length === 0 ? USUAL_PATH : folders.join(":");
}
