// Candidates for a command line that a shell completes. Names of records come from the commands themselves
// (`runtime providers list -o name`), so that new nouns need no change here.
import { presets } from "../catalogs/presets";
import { SELF_CHECKED } from "../catalogs/self-checked";
import type { Verb } from "./command";
import type { Io } from "./io";
import { nouns } from "./nouns";
import { FORMATS } from "./output";
import { commonFlags, firstWord, flagNames, main } from "./program";
import { TOPICS } from "./topics";

/** Fixed candidates, a command that prints them, or a function that returns them. */
type Candidates = readonly string[] | string | (() => Promise<readonly string[]>);

/** Values of flags, wherever they occur, or with the verbs of one noun. */
const FLAG_VALUES: { readonly [flag: string]: Candidates } = {
  "--output": FORMATS,
  "-o": FORMATS,
  "--role": ["admin", "run", "read", "verify", "metrics"],
  // Roles of people.
  "users --role": ["member", "approver", "auditor", "admin"],
  "--sandbox": ["cage", "none"],
  "--status": ["active", "inactive", "completed", "failed"],
  "--provider": "providers list -o name",
  "--tool": "tools list -o name",
  "--gateway": "gateways list -o name",
  "--platform": SELF_CHECKED,
  "--project": "projects list -o name",
  "--toolkit": "toolkits list -o name",
  "--unsafe-skip-verification": ["on", "off"],
};

const PRESETS = presets.map(({ id }) => id);

/** First words of verbs that are not names from the list of the same noun. */
const FIRST_WORDS: { readonly [command: string]: Candidates } = {
  "auth start": "providers list -o name",
  "providers setup": PRESETS,
  "providers create": PRESETS,
  completion: ["bash", "zsh", "fish"],
  help: helpTopics,
  api: ["GET", "POST", "PUT", "PATCH", "DELETE"],
};

async function helpTopics(): Promise<string[]> {
  const { readPages } = await import("../src/documentation");
  return [...nouns.map(({ name }) => name), ...TOPICS, ...(await readPages()).keys()];
}

/** A shell inserts a candidate as it is, so text from a server must not contain what a shell would run or expand. */
const SAFE = /^[\p{L}\p{N}_.@%+=:,/-]+$/u;

/** Verbs whose first word is a new name. */
const NEW_NAMES = ["create"];

/** Prints one candidate per line. The last of `words` may be incomplete or empty. Never fails. */
export async function complete(io: Io, words: readonly string[]): Promise<number> {
  const before = words.slice(0, -1);
  const current = words.at(-1) ?? "";
  const candidates = await candidatesFor(io, before, current).catch(() => []);
  const fitting = candidates.filter((candidate) => SAFE.test(candidate) && candidate.startsWith(current));
  io.out([...new Set(fitting)].map((candidate) => `${candidate}\n`).join(""));
  return 0;
}

async function candidatesFor(io: Io, before: readonly string[], current: string): Promise<readonly string[]> {
  const [name, ...rest] = plainWords(before);
  const noun = nouns.find((each) => each.name === name);
  const { verbs = [] } = (await noun?.load()) ?? {};
  const single = verbs.length === 1;
  const verb = single ? verbs[0] : verbs.find(({ usage }) => firstWord(usage) === rest[0]);
  const words = rest.slice(single ? 0 : 1);
  const previous = before.at(-1) ?? "";
  if (previous.startsWith("-") && takesValue(verb, previous))
    return valuesOf(io, FLAG_VALUES[`${name} ${previous}`] ?? FLAG_VALUES[previous] ?? []);
  const parameters = verb?.open === true && words[0] !== undefined ? await parametersOf(io, words[0]) : [];
  const parameter = parameters.find((each) => previous === `--${each.name}`);
  if (parameter !== undefined) return parameter.values;
  if (current.startsWith("-")) {
    const flags = [...(verb?.flags ?? []), ...commonFlags()].flatMap(({ flag }) => flagNames(flag));
    return [...parameters.map((each) => `--${each.name}`), ...flags, "--help"];
  }
  if (noun === undefined) return name === undefined ? nouns.map((each) => each.name) : [];
  if (verb === undefined) return verbs.map(({ usage }) => firstWord(usage));
  return words.length === 0 ? firstWords(io, noun.name, verb, verbs) : [];
}

async function firstWords(
  io: Io,
  noun: string,
  verb: Verb,
  verbs: readonly Verb[],
): Promise<readonly string[]> {
  const [own = "", word] = verb.usage.split(" ");
  const special = FIRST_WORDS[verbs.length === 1 ? noun : `${noun} ${own}`];
  if (special !== undefined) return valuesOf(io, special);
  const listed = verbs.some(({ usage }) => firstWord(usage) === "list");
  if (word === undefined || !listed || NEW_NAMES.includes(own)) return [];
  return valuesOf(io, `${noun} list -o name`);
}

async function valuesOf(io: Io, source: Candidates): Promise<readonly string[]> {
  if (typeof source === "function") return source();
  if (typeof source !== "string") return source;
  const lines = (await printed(io, source.split(" "))).split("\n");
  // A name that begins with a dash would be an option.
  return lines.filter((line) => line !== "" && !line.startsWith("-"));
}

interface Parameter {
  name: string;
  values: readonly string[];
}

async function parametersOf(io: Io, tool: string): Promise<Parameter[]> {
  const record: unknown = JSON.parse(
    await printed(io, ["tools", "show", tool, "--fields", "input", "-o", "json"]),
  );
  // Checked border: this program printed the record of a tool.
  const { input } = record as { input?: { parameters: ToolParameter[] } };
  return (input?.parameters ?? []).map(({ name, value_schema: { val_type, enum: values = [] } }) => ({
    name,
    values: val_type === "boolean" ? ["true", "false"] : values,
  }));
}

interface ToolParameter {
  name: string;
  value_schema: { val_type: string; enum?: string[] };
}

async function printed(io: Io, argv: readonly string[]): Promise<string> {
  let text = "";
  const quiet: Io = {
    ...io,
    out: (part) => void (text += part),
    note: () => undefined,
    interactive: false,
  };
  return (await main([...argv, "--timeout", "2"], quiet)) === 0 ? text : "";
}

function takesValue(verb: Verb | undefined, name: string): boolean {
  const flags = [...(verb?.flags ?? []), ...commonFlags()];
  return flags.some(({ flag }) => flag.includes("<") && flagNames(flag).includes(name));
}

// Words that are neither flags nor the values of flags that take one.
function plainWords(words: readonly string[]): string[] {
  const valued = commonFlags()
    .filter(({ flag }) => flag.includes("<"))
    .flatMap(({ flag }) => flagNames(flag));
  return words.filter((word, at) => !word.startsWith("-") && !valued.includes(words[at - 1] ?? ""));
}
