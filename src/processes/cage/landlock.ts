// Landlock (landlock(7)): which files the program may use, and that it can neither signal nor trace what is outside of its
// cage, nor reach abstract Unix sockets there. TCP stays open.
import { closeSync, fstatSync } from "node:fs";
import { errno, libc, ptr, systemCall, text } from "../libc";
import type { Access, CageRule } from "../plan";
import type { Calls } from "./architecture";

const RIGHTS = {
  execute: 1n << 0n,
  writeFile: 1n << 1n,
  readFile: 1n << 2n,
  readFolder: 1n << 3n,
  removeFolder: 1n << 4n,
  removeFile: 1n << 5n,
  makeCharacterDevice: 1n << 6n,
  makeFolder: 1n << 7n,
  makeFile: 1n << 8n,
  makeSocket: 1n << 9n,
  makeFifo: 1n << 10n,
  makeBlockDevice: 1n << 11n,
  makeLink: 1n << 12n,
  refer: 1n << 13n,
  truncate: 1n << 14n,
  controlDevice: 1n << 15n,
} as const;

const ALL = Object.values(RIGHTS).reduce((sum, right) => sum | right, 0n);
const READ = RIGHTS.readFile | RIGHTS.readFolder;
const RUN = READ | RIGHTS.execute;
const WRITE = ALL & ~(RIGHTS.makeCharacterDevice | RIGHTS.makeBlockDevice | RIGHTS.controlDevice);
const DEVICE = RIGHTS.readFile | RIGHTS.writeFile | RIGHTS.controlDevice;
const OF_ACCESS: Readonly<Record<Access, bigint>> = { read: READ, run: RUN, write: WRITE, device: DEVICE };
/** The rights that a rule about a single file may have. */
const OF_FILES = RIGHTS.execute | RIGHTS.writeFile | RIGHTS.readFile | RIGHTS.truncate | RIGHTS.controlDevice;

/** Abstract Unix sockets, signals. */
const SCOPES = 0b11n;
const ASK_VERSION = 1;
const RULE_PATH_BENEATH = 1;
const O_PATH = 0o10000000;
/** Rules name real paths. A link that was put there since would lead the rule elsewhere. */
const O_NOFOLLOW = process.arch === "arm64" ? 0o100000 : 0o400000;
const O_CLOEXEC = 0o2000000;

/** The version of Landlock of this kernel, or 0 with the error number. */
export function landlockVersion(calls: Calls): { version: number; error: number } {
  const version = systemCall(calls.number("landlock_create_ruleset"), 0, 0, ASK_VERSION);
  return version > 0 ? { version, error: 0 } : { version: 0, error: errno() };
}

/**
 * Applies the rules to this thread and to every program that it becomes or starts. Paths that do not exist are left out.
 * Returns what failed, or undefined. Needs `no_new_privs`.
 */
export function applyRules(calls: Calls, rules: readonly CageRule[]): string | undefined {
  const attributes = new BigUint64Array([ALL, 0n, SCOPES]);
  const ruleset = systemCall(
    calls.number("landlock_create_ruleset"),
    ptr(attributes),
    attributes.byteLength,
    0,
  );
  if (ruleset < 0) return `Landlock refused the rules (error ${errno()})`;
  for (const rule of rules) {
    const failed = addRule(calls, ruleset, rule);
    if (failed !== undefined) return failed;
  }
  if (systemCall(calls.number("landlock_restrict_self"), ruleset, 0) !== 0)
    return `Landlock could not be turned on (error ${errno()})`;
  return undefined;
}

function addRule(calls: Calls, ruleset: number, { path, access }: CageRule): string | undefined {
  const name = text(path);
  const place = libc().open(ptr(name), O_PATH | O_NOFOLLOW | O_CLOEXEC, 0);
  if (place < 0) return undefined;
  const status = fstatSync(place);
  // Only a link that appeared since the rules were made can be a link here.
  if (status.isSymbolicLink()) {
    closeSync(place);
    return undefined;
  }
  const rights = status.isDirectory() ? OF_ACCESS[access] : OF_ACCESS[access] & OF_FILES;
  // `struct landlock_path_beneath_attr`, packed: rights (8), descriptor (4).
  const attributes = new DataView(new ArrayBuffer(12));
  attributes.setBigUint64(0, rights, true);
  attributes.setInt32(8, place, true);
  const bytes = new Uint8Array(attributes.buffer);
  const result = systemCall(
    calls.number("landlock_add_rule"),
    ruleset,
    RULE_PATH_BENEATH,
    BigInt(ptr(bytes)),
    0,
  );
  const error = errno();
  closeSync(place);
  return result === 0 ? undefined : `Landlock refused the rule about ${path} (error ${error})`;
}
