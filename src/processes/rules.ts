// The rules of a cage, as real paths. Landlock only allows: whatever is below an allowed folder is allowed too. A folder that
// contains something protected is therefore replaced by its other entries.
import { accessSync, constants, type Dirent, lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { otherPathsOf } from "./mounts";
import type { CageRule } from "./plan";
import { ProcessRefused, type ProcessSpec } from "./spec";
import { SETTINGS, SYSTEM_RULES } from "./system-folders";
import { isWithin } from "./within";

export interface CagePaths {
  rules: CageRule[];
  unixSockets: boolean;
}

/** The rules of a program. `hidden` are the folders and files that it must not read. Throws `ProcessRefused`. */
export function cagePaths(spec: ProcessSpec, hidden: readonly string[]): CagePaths {
  const secret = hidden.flatMap(realPaths).flatMap((path) => [path, ...otherPathsOf(path)]);
  const home = realpathSync(spec.home);
  refuseAround(home, secret, `The home ${spec.home} of a program`);
  const read = spec.read.map((path) => allowed(path, "read", home, secret));
  const write = spec.write.map((path) => allowed(path, "write", home, secret));
  for (const path of write) refuseAround(path, secret, `The path ${path} that a program may change`);
  const rules = [
    ...SYSTEM_RULES.flatMap((rule) => realRule(rule)).flatMap((rule) => without(rule, secret)),
    ...read.flatMap((path) => without({ path, access: "run" }, secret)),
    ...write.map((path): CageRule => ({ path, access: "write" })),
    { path: home, access: "write" } as const,
  ];
  return { rules, unixSockets: write.some((path) => statSync(path).isSocket()) };
}

/** The real path, and of one that does not exist yet, that of the folder that will contain it. */
function realPaths(path: string): string[] {
  try {
    return [realpathSync(path)];
  } catch {
    const parent = join(path, "..");
    if (parent === path) return [];
    return realPaths(parent).map((folder) => join(folder, path.slice(path.lastIndexOf("/") + 1)));
  }
}

function realRule(rule: CageRule): CageRule[] {
  try {
    return [{ path: realpathSync(rule.path), access: rule.access }];
  } catch {
    return [];
  }
}

function refuseAround(path: string, secret: readonly string[], what: string): void {
  const inside = secret.find((hidden) => isWithin(hidden, path));
  if (inside !== undefined)
    throw new ProcessRefused(
      `${what} contains ${inside}, which programs must not read. Choose a narrower folder.`,
    );
}

function allowed(path: string, list: "read" | "write", home: string, secret: readonly string[]): string {
  if (!path.startsWith("/"))
    throw new ProcessRefused(`"${path}" in ${list} is not an absolute path. Begin it with "/".`);
  let real: string;
  try {
    real = realpathSync(path);
  } catch {
    throw new ProcessRefused(`${path} in ${list} does not exist. Create it, or remove it from the list.`);
  }
  const around = secret.find((hidden) => isWithin(real, hidden));
  if (around !== undefined && !isWithin(real, home))
    throw new ProcessRefused(
      `${path} in ${list} lies in ${around}, which programs must not read. Remove it from the list.`,
    );
  return real;
}

/** The rule, or those of the entries of its folder that are not hidden. */
function without(rule: CageRule, secret: readonly string[]): CageRule[] {
  if (SETTINGS.includes(rule.path)) return settingsWithout(rule, secret).rules;
  const inside = secret.filter((hidden) => isWithin(hidden, rule.path));
  if (inside.length === 0) return [rule];
  if (inside.includes(rule.path)) return [];
  return entriesOf(rule.path).flatMap(({ name }) =>
    without({ path: join(rule.path, name), access: rule.access }, inside),
  );
}

/** The same, also without what is not for every user of the machine. `whole`: nothing had to be left out. */
function settingsWithout(rule: CageRule, secret: readonly string[]): { rules: CageRule[]; whole: boolean } {
  if (secret.includes(rule.path)) return { rules: [], whole: false };
  const parts = entriesOf(rule.path).map((entry) => {
    const inner = { path: join(rule.path, entry.name), access: rule.access };
    // What we cannot read either needs no exception.
    if (!isPublic(inner.path) && isReadable(inner.path)) return { rules: [], whole: false };
    if (entry.isDirectory()) return settingsWithout(inner, secret);
    return secret.includes(inner.path) ? { rules: [], whole: false } : { rules: [inner], whole: true };
  });
  if (parts.every(({ whole }) => whole)) return { rules: [rule], whole: true };
  return { rules: parts.flatMap(({ rules }) => rules), whole: false };
}

// Links are not followed: a rule about a link would be about its target, and reading a link needs no rule.
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).filter((entry) => !entry.isSymbolicLink());
  } catch {
    return [];
  }
}

const READ_BY_OTHERS = 0o004;
const ENTER_BY_OTHERS = 0o005;

/** Whether every user of the machine may read it. A server that runs as root could read more. */
function isPublic(path: string): boolean {
  try {
    const status = lstatSync(path);
    const needed = status.isDirectory() ? ENTER_BY_OTHERS : READ_BY_OTHERS;
    return (status.mode & needed) === needed;
  } catch {
    return false;
  }
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
