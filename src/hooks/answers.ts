// What webhooks answer. Whatever breaks the contract is a failure, which the hook's failure mode decides about: an
// answer that was meant as a denial must not pass because of how it is written.
import { isObject, type Json } from "../base";
import type { Tool } from "../tools";
import { WebhookFailure } from "./webhook";

export interface Verdict {
  code: "OK" | "CHECK_FAILED" | "RATE_LIMIT_EXCEEDED";
  errorMessage: string | undefined;
  /** Of an answer with the code OK; of any other it is ignored. */
  override: { readonly [key: string]: Json } | undefined;
}

const CODES = ["OK", "CHECK_FAILED", "RATE_LIMIT_EXCEEDED"] as const;
const LONGEST_MESSAGE = 1000;

/** The answer of a pre or post hook. Throws `WebhookFailure`. */
export function readVerdict(answer: Json): Verdict {
  if (!isObject(answer)) throw broken("the answer is no object");
  const code = CODES.find((known) => known === answer["code"]);
  if (code === undefined) throw broken("code is none of OK, CHECK_FAILED, RATE_LIMIT_EXCEEDED");
  const { error_message: message = null, override = null } = answer;
  if (message !== null && typeof message !== "string") throw broken("error_message is no text");
  if (code === "OK" && override !== null && !isObject(override)) throw broken("override is no object");
  return {
    code,
    errorMessage: message === null || message === "" ? undefined : message.slice(0, LONGEST_MESSAGE),
    override: code === "OK" && isObject(override) ? (override as Verdict["override"]) : undefined,
  };
}

/** The inputs that a pre hook puts in place of the call's; undefined when it puts none. */
export function overriddenInputs({ override }: Verdict): { [key: string]: unknown } | undefined {
  const inputs = override?.["inputs"] ?? null;
  if (inputs === null) return undefined;
  if (!isObject(inputs)) throw broken("override.inputs is no object");
  return inputs;
}

/** Values of secrets for this one call. */
export function overriddenSecrets({ override }: Verdict): Record<string, string> | undefined {
  const secrets = override?.["secrets"] ?? null;
  if (secrets === null) return undefined;
  if (!Array.isArray(secrets)) throw broken("override.secrets is no list");
  const values: Record<string, string> = {};
  for (const entry of secrets) {
    const fields = isObject(entry) ? Object.entries(entry) : [];
    const [[key, value] = ["", undefined], ...more] = fields;
    if (key === "" || typeof value !== "string" || more.length > 0)
      throw broken("override.secrets is no list of one-key maps of texts");
    values[key] = value;
  }
  return values;
}

/** The output that a post hook puts in place of the run's; present beats absent, null included. */
export function overriddenOutput({ override }: Verdict): { value: Json } | undefined {
  return override !== undefined && "output" in override ? { value: override["output"] ?? null } : undefined;
}

/** Which of the tools an access answer leaves. */
export type Filter = (tool: Tool) => boolean;

/** Throws `WebhookFailure`. With `only` nothing else is visible, and `deny` is ignored. */
export function readAccess(answer: Json): Filter {
  if (!isObject(answer)) throw broken("the answer is no object");
  // Access knows no codes; whoever says CHECK_FAILED here did not mean that all tools may be seen.
  if ((answer["code"] ?? "OK") !== "OK") throw broken("code has no place in an answer about access");
  const only = namesOf("only", answer["only"]);
  const deny = namesOf("deny", answer["deny"]);
  if (only !== undefined) return (tool) => named(only, tool);
  return (tool) => deny === undefined || !named(deny, tool);
}

/** `toolkit.tool` in lower case → its versions; undefined: all. */
type Names = Map<string, Set<string> | undefined>;

function namesOf(field: string, given: unknown): Names | undefined {
  if (given === undefined || given === null) return undefined;
  if (!isObject(given)) throw broken(`${field} is no object`);
  const names: Names = new Map();
  for (const [toolkit, entry] of Object.entries(given)) {
    const tools = isObject(entry) ? entry["tools"] : undefined;
    if (!isObject(tools)) throw broken(`${field} has a toolkit without tools`);
    for (const [tool, versions] of Object.entries(tools))
      names.set(keyOf(toolkit, tool), versionsOf(field, versions));
  }
  return names;
}

function versionsOf(field: string, given: unknown): Set<string> | undefined {
  if (!Array.isArray(given)) throw broken(`${field} has a tool whose versions are no list`);
  const versions = given.map((entry: unknown) => {
    const version = isObject(entry) ? (entry["version"] ?? "") : undefined;
    if (typeof version !== "string") throw broken(`${field} has a version that is none`);
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

// A denial must not fail to meet its tool because of a capital letter.
function keyOf(toolkit: string, tool: string): string {
  return JSON.stringify([toolkit.toLowerCase(), tool.toLowerCase()]);
}

function broken(what: string): WebhookFailure {
  return new WebhookFailure(`breaks the contract: ${what}`);
}
