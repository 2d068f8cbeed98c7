// The self-check of a catalog: harmless calls with a user's grant that show whether the platform behaves as the catalog
// expects. The checks are data of the catalog; this area runs them and knows no platform.
import type { Json } from "../../base";
import type { ToolContext } from "../definition";

declare const safe: unique symbol;

/** A text that cannot contain content of the account: a known word, a kind of value, or a code. Only made in this file. */
export type Word = string & { readonly [safe]: true };

/** What a check saw: counts, statuses, codes and shapes. */
export type Seen = Readonly<Record<string, number | boolean | Word>>;

/**
 * `observed`: the question of the check is not settled in public sources, and `seen` has the answer. `not_checked`: `reason`
 * says why.
 */
export type CheckStatus = "as_expected" | "differs" | "observed" | "not_checked";

export interface Verdict {
  status: CheckStatus;
  seen: Seen;
  reason?: Reason;
}

/** Why a check has no answer. */
export type Reason =
  | "account_lacks_example"
  | "missing_permission"
  | "hidden_by_hook"
  | "needs_write"
  | "cannot_be_checked"
  | "no_answer"
  | "rate_limited"
  | "ended_before";

/** One request of a check: the catalog's name of the method, and the answer without its content. */
export interface RecordedCall {
  method: string;
  status: number;
  code?: Word;
  /** Those of the catalog's header names that the answer has. */
  headers: string[];
}

/** A check without its function, for lists. */
export interface CheckRow {
  /** `one-type-pages` */
  name: string;
  /** What the tables of the catalog say. */
  expects: string;
  /** The tool that relies on it. Its permissions and the hooks about it hold for the check. */
  tool: string;
  /** It changes something at the platform, so it needs `--write`. */
  writes?: true;
}

export interface PlatformCheck<Probe> extends CheckRow {
  /** Absent: calls with one grant cannot show it. May throw a `ToolError`. */
  run?(probe: Probe): Promise<Verdict>;
}

export interface SelfCheck {
  /** The name of the platform on the command line. */
  platform: string;
  /** The tool whose permissions every run needs. */
  tool: string;
  checks: readonly CheckRow[];
  /** The checks for one run. `record` receives every request. */
  start(context: ToolContext, record: (call: RecordedCall) => void): StartedChecks;
}

export interface StartedChecks {
  /** Undefined if it cannot be checked. May throw a `ToolError`. */
  verdictOf(name: string): Promise<Verdict | undefined>;
}

/** A catalog's self-check; hides the type of its client for checks. */
export function defineSelfCheck<Probe>({
  open,
  checks,
  ...rest
}: Pick<SelfCheck, "platform" | "tool"> & {
  open(context: ToolContext, record: (call: RecordedCall) => void): Probe;
  checks: readonly PlatformCheck<Probe>[];
}): SelfCheck {
  return {
    ...rest,
    checks,
    start: (context, record) => {
      const probe = open(context, record);
      return { verdictOf: async (name) => checks.find((check) => check.name === name)?.run?.(probe) };
    },
  };
}

/** The verdict of a rule that holds or not. */
export function judged(holds: boolean, seen: Seen = {}): Verdict {
  return { status: holds ? "as_expected" : "differs", seen };
}

/** The verdict of a question that is not settled. */
export function observed(seen: Seen): Verdict {
  return { status: "observed", seen };
}

/** The account has nothing with which the rule can be checked. */
export function withoutExample(seen: Seen = {}): Verdict {
  return { status: "not_checked", seen, reason: "account_lacks_example" };
}

/** A text if it is one of the known ones. */
export function wordOf(text: unknown, known: readonly string[]): Word {
  if (text === undefined || text === null || text === "") return word("absent");
  return word(known.find((one) => one === text) ?? "other");
}

/**
 * Codes that no table has: two words or more, as in `not_in_channel` or `notFound`, or a short number. Anything else could be
 * a name.
 */
const CODE = /^(?:[A-Za-z]{1,30}(?:_[A-Za-z]{1,30}){1,7}|[a-z]{2,20}(?:[A-Z][a-z]{1,20}){1,6}|\d{1,5})$/;

/** An error code of the platform. `known`: the codes of the catalog's table. */
export function codeWord(code: unknown, known?: { has(code: string): boolean }): Word {
  if (code === undefined || code === null || code === "") return word("absent");
  const text = typeof code === "string" || typeof code === "number" ? String(code) : "";
  return word(known?.has(text) === true || CODE.test(text) ? text : "other");
}

/** The kind of a value, never the value. */
export function kindOf(value: Json | undefined): Word {
  if (value === undefined) return word("absent");
  if (value === null) return word("null");
  if (Array.isArray(value)) return word("list");
  if (value === "") return word("empty text");
  return word(typeof value === "string" ? "text" : typeof value);
}

// The only border: every caller above gives a constant, a known word, or a code.
function word(text: string): Word {
  return text as Word;
}
