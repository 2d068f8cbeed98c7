// Parses the answers of webhooks. An answer that violates the contract is a failure, to which the failure mode of the hook
// applies: a malformed denial must not let the call pass.
import { isObject, type Json } from "../base";
import { type GuardedOutcome, type PolicyDecision, ruledBy, type Tool } from "../tools";
import { checkNoTypo, checkOverride, checkVersionEntry } from "./answer-fields";
import type { Point } from "./schema";
import { WebhookFailure } from "./webhook";

export interface Verdict {
  code: "OK" | "CHECK_FAILED" | "RATE_LIMIT_EXCEEDED";
  errorMessage: string | undefined;
  /** Only used with the code OK. */
  override: { readonly [key: string]: Json } | undefined;
}

const CODES = ["OK", "CHECK_FAILED", "RATE_LIMIT_EXCEEDED"] as const;
const MAX_MESSAGE_LENGTH = 1000;

/** The decision of a hook, as in the execution log. */
export type Decision = PolicyDecision["decision"];

/**
 * The answer of a pre hook for a tool: its verdict, and the inputs and secrets that it replaces. Throws `WebhookFailure`.
 */
export function readPre(answer: Json, tool: Tool) {
  const verdict = readVerdict("pre", answer);
  checkOverride(verdict.override ?? {}, ["inputs", "secrets"]);
  const inputs = overriddenInputs(verdict);
  const secrets = overriddenSecrets(verdict);
  checkNoAddress(Object.keys(secrets ?? {}), tool);
  const changed = inputs !== undefined || secrets !== undefined;
  return { verdict, inputs, secrets, decision: decisionOf(verdict, changed) };
}

/** The answer of a post hook: its verdict, and the output that it replaces. Throws `WebhookFailure`. */
export function readPost(answer: Json, outcome: GuardedOutcome) {
  const verdict = readVerdict("post", answer);
  checkOverride(verdict.override ?? {}, ["output"]);
  const output = overriddenOutput(verdict);
  const changed = output !== undefined && !("error" in outcome);
  return { verdict, output, decision: decisionOf(verdict, changed) };
}

function decisionOf({ code }: Verdict, changed: boolean): Decision {
  if (code === "CHECK_FAILED") return "denied";
  if (code === "RATE_LIMIT_EXCEEDED") return "rate_limited";
  return changed ? "override" : "ok";
}

function readVerdict(point: Point, answer: Json): Verdict {
  if (!isObject(answer)) throw violation("the answer is not an object");
  const code = CODES.find((known) => known === answer["code"]);
  if (code === undefined) throw violation("code is not OK, CHECK_FAILED or RATE_LIMIT_EXCEEDED");
  // A denial stays one, whatever else the answer contains: the failure mode might let the call pass.
  if (code === "OK") checkNoTypo(point, answer);
  const { error_message: message = null, override = null } = answer;
  if (message !== null && typeof message !== "string") throw violation("error_message is not a string");
  if (code === "OK" && override !== null && !isObject(override)) throw violation("override is not an object");
  return {
    code,
    errorMessage: message === null || message === "" ? undefined : message.slice(0, MAX_MESSAGE_LENGTH),
    override: code === "OK" && isObject(override) ? (override as Verdict["override"]) : undefined,
  };
}

/** The inputs with which a pre hook replaces those of the call, if any. */
function overriddenInputs({ override }: Verdict): { [key: string]: unknown } | undefined {
  const inputs = override?.["inputs"] ?? null;
  if (inputs === null) return undefined;
  if (!isObject(inputs)) throw violation("override.inputs is not an object");
  return inputs;
}

/** Values of secrets by their names in lower case, for this call only. Names of secrets are case-insensitive. */
function overriddenSecrets({ override }: Verdict): Record<string, string> | undefined {
  const secrets = override?.["secrets"] ?? null;
  if (secrets === null) return undefined;
  if (!Array.isArray(secrets)) throw violation("override.secrets is not a list");
  const values: Record<string, string> = {};
  for (const entry of secrets) {
    const fields = isObject(entry) ? Object.entries(entry) : [];
    const [[key, value] = ["", undefined], ...more] = fields;
    if (key === "" || typeof value !== "string" || more.length > 0)
      throw violation("override.secrets is not a list of objects with one string each");
    values[key.toLowerCase()] = value;
  }
  return values;
}

/** A secret with the platform's address decides where the user's token goes, so a hook cannot replace it. */
function checkNoAddress(names: readonly string[], { catalog }: Tool): void {
  for (const { secret } of Object.values(catalog.bases)) {
    if (secret !== undefined && names.includes(secret.name.toLowerCase()))
      throw violation(`override.secrets must not contain ${secret.name}, the address of the platform`);
  }
}

/** The output with which a post hook replaces that of the run, if any. It may be null. */
function overriddenOutput({ override }: Verdict): { value: Json } | undefined {
  return override !== undefined && "output" in override ? { value: override["output"] ?? null } : undefined;
}

/** Whether an access answer allows a tool. */
export type Filter = (tool: Tool) => boolean;

/**
 * With `only`, no other tool is visible and `deny` is ignored. What it says about a tool holds for the tools that it
 * replaces. Throws `WebhookFailure`.
 */
export function readAccess(answer: Json): Filter {
  if (!isObject(answer)) throw violation("the answer is not an object");
  checkNoTypo("access", answer);
  // Access answers have no code; an answer with CHECK_FAILED does not mean that all tools are visible.
  if ((answer["code"] ?? "OK") !== "OK") throw violation("an access answer must not have a code");
  const only = namesOf("only", answer["only"]);
  const deny = namesOf("deny", answer["deny"]);
  // Whatever else it names, a hook that hides a tool hides the deprecated ones that do the same.
  if (only !== undefined) return (tool) => named(only, ruledBy(tool).at(-1) ?? tool);
  return (tool) => deny === undefined || !ruledBy(tool).some((one) => named(deny, one));
}

/** `toolkit.tool` in lower case → its versions; undefined: all. */
type Names = Map<string, Set<string> | undefined>;

function namesOf(field: string, given: unknown): Names | undefined {
  if (given === undefined || given === null) return undefined;
  if (!isObject(given)) throw violation(`${field} is not an object`);
  const names: Names = new Map();
  for (const [toolkit, entry] of Object.entries(given)) {
    const tools = isObject(entry) ? entry["tools"] : undefined;
    if (!isObject(tools)) throw violation(`${field} has a toolkit without tools`);
    for (const [tool, versions] of Object.entries(tools))
      names.set(keyOf(toolkit, tool), versionsOf(field, versions));
  }
  return names;
}

function versionsOf(field: string, given: unknown): Set<string> | undefined {
  if (!Array.isArray(given)) throw violation(`${field} has a tool whose versions are not a list`);
  const versions = given.map((entry: unknown) => {
    if (isObject(entry)) checkVersionEntry(entry, field);
    const version = isObject(entry) ? (entry["version"] ?? "") : undefined;
    if (typeof version !== "string") throw violation(`${field} has an invalid version`);
    return version;
  });
  return versions.length === 0 || versions.includes("") ? undefined : new Set(versions);
}

function named(names: Names, { catalog, definition }: Tool): boolean {
  const key = keyOf(catalog.toolkit.name, definition.name);
  if (!names.has(key)) return false;
  const versions = names.get(key);
  return versions === undefined || versions.has(catalog.toolkit.version);
}

// Case-insensitive, so that a denial always matches its tool.
function keyOf(toolkit: string, tool: string): string {
  return JSON.stringify([toolkit.toLowerCase(), tool.toLowerCase()]);
}

function violation(what: string): WebhookFailure {
  return new WebhookFailure(`breaks the contract: ${what}`);
}
