// Mends a refused input by the text of its error. It knows nothing about the tool but its input schema.
import { isObject } from "../../../src/base";

export type Input = Readonly<Record<string, unknown>>;

/** A name, and what is wrong with its value. */
const PROBLEM =
  /(?<![\w.])`?([A-Za-z_]\w*(?:\.\w+)*)`?:? ((?:is (?:required|missing|empty)|must )(?:"(?:[^"\\]|\\.)*"|[^;"])*?)(?=;|,? and `|\. |\.?$)/gm;

/** A wrong text, and another one to use in its place. */
const QUOTED = /(?:in ([\w.]+), [^"]*)?"([^"\s]+)"[^"(:`]*\((?:nearest|for example): ("[^"]+"|[^)]+)\)/g;

/** The mended input, and the parameters whose values must be looked up. */
export function mend(properties: unknown, given: Input, text: string): { input: Input; wanted: Set<string> } {
  const wanted = new Set<string>();
  let input: unknown = given;
  const set = (path: string, change: (before: unknown) => unknown): void =>
    void (input = edited(input, path.split("."), change));
  for (const [, name = "", meant] of text.matchAll(/no parameter "([^"]+)"\. (?:Did you mean "([^"]+)")?/g)) {
    if (meant !== undefined) set(meant, () => given[name]);
    set(name, () => undefined);
  }
  const within = (path: string | undefined, wrong: string, right: string): void =>
    path === undefined
      ? void (input = replaced(input, wrong, textOf(right)))
      : set(path, (before) => replaced(before, wrong, textOf(right)));
  const [message = ""] = text.split("\n");
  for (const [, path, wrong = "", right = ""] of message.matchAll(QUOTED)) within(path, wrong, right);
  for (const [, wrong = "", right = ""] of message.matchAll(/([^\s":,`]+) \(nearest: ([^)]+)\)/g))
    within(undefined, wrong, right);
  for (const [, path = "", rule = ""] of message.matchAll(PROBLEM)) {
    const [name = ""] = path.split(".");
    if (!Object.hasOwn(Object(properties), name)) continue;
    if (path === name && isFound(properties, name, rule)) wanted.add(name);
    else set(path, (before) => obeyed(before, rule, Object(properties)[path]));
  }
  for (const [, path = ""] of text.matchAll(/(?:leave out(?: all but one:)?|without) `([\w.]+)`/gi))
    set(path, () => undefined);
  for (const [, path = "", value] of text.matchAll(/`(\w+)` set to (\w+)/g)) set(path, () => value);
  for (const [, name = ""] of text.matchAll(/(\w+): [A-Z]/g)) input = replaced(input, name, undefined);
  // Nothing is said about the value: another one, or none.
  if (JSON.stringify(input) === JSON.stringify(given) && wanted.size === 0)
    for (const [, name = ""] of text.matchAll(/`(\w+)`/g)) {
      if (isFound(properties, name, "")) wanted.add(name);
      else set(name, () => undefined);
    }
  // Of several that may be given, the first.
  return { input: input as Input, wanted: /one of/.test(text) ? new Set([...wanted].slice(0, 1)) : wanted };
}

/** Whether the value has to be looked up: nothing in the rule says what it must be. */
function isFound(properties: unknown, name: string, rule: string): boolean {
  return (
    describe(properties, name).includes("in the answer of") &&
    !/nearest:|one of|must be (string|array)|at most/.test(rule)
  );
}

export function describe(properties: unknown, name: string): string {
  return String(Object(Object(properties)[name])["description"]);
}

/** A value that follows the rule; undefined: leave it out. */
function obeyed(before: unknown, rule: string, schema: unknown): unknown {
  const { enum: values, default: usual, minimum, type: own } = Object(schema);
  const example = /\((?:nearest|for example): (.+)\)/.exec(rule)?.[1];
  const numberAfter = (words: RegExp): number => Number(words.exec(rule)?.[1] ?? Number.NaN);
  const most = numberAfter(/(?:at most|<=|more than) (\d+)/);
  const least = numberAfter(/>= (\d+)/);
  const step = numberAfter(/multiple of (\d+)/);
  const type = /must be (?:an? )?(\w+)/.exec(rule)?.[1];
  const last = /from \w+ to (\w+)/.exec(rule)?.[1];
  if (example !== undefined) return own === "string" ? textOf(example) : parsed(example);
  if (step > 0) return Math.max(Math.round(Number(before) / step) * step, least || 0) || step;
  if (least >= 0) return least;
  if (most >= 0 && typeof before === "number") return most;
  if (most >= 0) return Array.isArray(before) || typeof before === "string" ? before.slice(0, most) : before;
  if (type === "integer" || type === "number")
    return Number(/\d+/.exec(textOf(before))?.[0] ?? usual ?? minimum);
  if (last !== undefined) return parsed(last);
  if (type === "array")
    return isObject(before) && schema !== undefined ? Object.values(before).flat() : [before];
  if (type === "object") return Array.isArray(before) ? before[0] : undefined;
  if (type === "string") return Array.isArray(before) ? before[0] : textOf(before);
  if (/must be (one of )?/.test(rule) && Array.isArray(values)) return values.at(-1);
  const first = /must be one of ([^,(]+)/.exec(rule)?.[1];
  if (first !== undefined) return parsed(first);
  return /required|missing|empty/.test(rule)
    ? Array.isArray(values)
      ? values.at(-1)
      : (usual ?? minimum ?? "Text")
    : undefined;
}

/** The value with a change at a path, which may lead into the JSON of a text. */
function edited(
  value: unknown,
  [key, ...rest]: readonly string[],
  change: (before: unknown) => unknown,
): unknown {
  if (key === undefined) return change(value);
  const inner = typeof value === "string" ? parsed(value) : value;
  if (typeof inner !== "object" || inner === null) return value;
  if (Array.isArray(inner))
    return inner
      .map((item: unknown, index) => (String(index) === key ? edited(item, rest, change) : item))
      .filter((item) => item !== undefined);
  const changed = { ...inner, [key]: edited(Object(inner)[key], rest, change) };
  return typeof value === "string" ? JSON.stringify(changed) : changed;
}

/** The value with another text or key in the place of a wrong one; undefined: without it. */
function replaced(value: unknown, wrong: string, right: string | undefined): unknown {
  if (typeof value === "string") {
    const json = /^[[{]/.test(value) ? parsed(value) : value;
    if (typeof json === "object") return JSON.stringify(replaced(json, wrong, right));
    return right !== undefined && value.replace(/^[#@]/, "") === wrong.replace(/^[#@]/, "") ? right : value;
  }
  if (Array.isArray(value)) return value.map((item) => replaced(item, wrong, right));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => [
    key === wrong ? right : key,
    replaced(inner, wrong, right),
  ]);
  return Object.fromEntries(entries.filter(([key]) => key !== undefined));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function textOf(value: unknown): string {
  const inner = typeof value === "string" ? parsed(value) : value;
  return typeof inner === "string" ? inner : typeof value === "string" ? value : JSON.stringify(value);
}
