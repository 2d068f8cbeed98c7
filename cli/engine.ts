// Settings of the engine that would defeat the protections of this program: variables that switch off checks, print
// requests with their keys, or load foreign code, and memory dumps.
import { C_LIBRARIES } from "../src/base";
import { configurationError } from "../src/errors";
import type { Environment } from "./io";

interface Refused {
  name: RegExp;
  /** Values that change nothing. */
  harmless: readonly string[];
  effect: string;
  instead?: string;
}

const OFF = ["", "0", "false"];

const REFUSED: readonly Refused[] = [
  {
    name: /^NODE_TLS_REJECT_UNAUTHORIZED$/,
    harmless: ["", "1"],
    effect: "switches off the check of certificates",
    instead: " To trust a certificate, set RUNTIME_EGRESS_CA_FILE to that of its authority.",
  },
  {
    name: /^BUN_CONFIG_VERBOSE_FETCH$/,
    harmless: OFF,
    effect: "prints requests with their keys and tokens",
  },
  {
    name: /^BUN_INSPECT(_CONNECT_TO|_NOTIFY|_PRELOAD)?$/,
    harmless: [""],
    effect: "opens this process to a debugger",
  },
  { name: /^BUN_OPTIONS$/, harmless: [""], effect: "changes how this program runs" },
];

/** Throws `configuration` naming the variable. */
export function refuseUnsafeVariables(env: Environment): void {
  for (const [variable, value = ""] of Object.entries(env)) {
    const found = REFUSED.find(({ name }) => name.test(variable));
    if (found === undefined || found.harmless.includes(value)) continue;
    throw configurationError(`The variable ${variable} ${found.effect}. Unset it.${found.instead ?? ""}`);
  }
}

/** From prctl(2). */
const PR_SET_DUMPABLE = 4;

/**
 * Keys and tokens are in clear in the memory of this process. On Linux, a crash then leaves no core dump of it, and other
 * processes of the same user cannot read it. Returns whether that is so.
 */
export async function forbidDumps(): Promise<boolean> {
  if (process.platform !== "linux") return false;
  const { dlopen } = await import("bun:ffi");
  const prctl = { args: ["i32", "u64", "u64", "u64", "u64"], returns: "i32" } as const;
  for (const library of C_LIBRARIES) {
    try {
      return dlopen(library, { prctl }).symbols.prctl(PR_SET_DUMPABLE, 0n, 0n, 0n, 0n) === 0;
    } catch {
      // This system has the other one.
    }
  }
  return false;
}
