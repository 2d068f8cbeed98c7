// Parameters of a tool from the command line. The text after the first `=` is the value; the runtime converts it. Only
// types that the runtime does not convert from text are parsed here.
import { nearest, parseJson } from "../src/base";
import type { ToolRecord } from "../src/tools";
import { UsageError } from "./errors";
import { NO_VALUE } from "./open-options";

type Parameter = ToolRecord["input"]["parameters"][number];

export interface ReadParameters {
  input: { [name: string]: unknown };
  /** Short options of the command itself, which followed a parameter without a value: `-o json`. */
  options: string[];
}

/**
 * `--channel_name x`, `--channel-name=x`, `channel_name=x`, `--flag` → input. After `--` only `name=value` is read. `words` are
 * those of `sorted`. Throws `usage` naming the parameter.
 */
export function readParameters(words: readonly string[], parameters: readonly Parameter[]): ReadParameters {
  const texts = new Map<Parameter, string[]>();
  const options: string[] = [];
  const add = (parameter: Parameter, text: string): void =>
    void texts.set(parameter, [...(texts.get(parameter) ?? []), text]);
  const end = words.includes("--") ? words.indexOf("--") : words.length;
  for (let at = 0; at < end; at++) {
    const word = words[at] ?? "";
    const { name, text } = split(word);
    if (word === NO_VALUE) continue;
    if (SHORT.test(word)) {
      options.push(...words.slice(at, at + (word === "-o" ? 2 : 1)));
      at += word === "-o" ? 1 : 0;
    } else if (word.startsWith("--") && text === undefined) {
      const parameter = find(name, parameters);
      const value = valueAfter(parameter, words[at + 1], at + 1 < end);
      add(parameter, value ?? "true");
      at += value === undefined ? 0 : 1;
    } else if (text === undefined) throw neither();
    else add(find(name, parameters), text);
  }
  for (const word of words.slice(end + 1)) {
    const [name = "", ...rest] = word.split("=");
    if (rest.length === 0) throw neither();
    add(find(name, parameters), rest.join("="));
  }
  const input = [...texts].map(([parameter, values]) => [parameter.name, valueOf(parameter, values)]);
  return { input: Object.fromEntries(input), options };
}

/** Short options of commands that run tools. */
const SHORT = /^-(o.*|h)$/s;

function split(word: string): { name: string; text: string | undefined } {
  const at = word.indexOf("=");
  const name = (at < 0 ? word : word.slice(0, at)).replace(/^--/, "");
  return { name, text: at < 0 ? undefined : word.slice(at + 1) };
}

function neither(): UsageError {
  return new UsageError(
    "A word is neither a flag nor a parameter. Write parameters as --name value or name=value.",
  );
}

/** The next word, if it is the value; undefined for a flag without one. */
function valueAfter({ name, value_schema }: Parameter, next: string | undefined, follows: boolean) {
  const present = follows && next !== undefined && next !== NO_VALUE;
  if (value_schema.val_type === "boolean")
    return present && !next.startsWith("-") && !next.includes("=") ? next : undefined;
  if (present) return next;
  throw new UsageError(`--${name} needs a value: --${name} VALUE, or --${name}=VALUE.`);
}

function find(name: string, parameters: readonly Parameter[]): Parameter {
  const wanted = name.replaceAll("-", "_");
  const found =
    parameters.find((each) => each.name === name) ??
    parameters.find((each) => each.name.replaceAll("-", "_") === wanted);
  if (found !== undefined) return found;
  const names = parameters.map((each) => each.name);
  const guess = nearest(name, names);
  const takes = names.length === 0 ? "It takes no parameters." : `It takes: ${names.join(", ")}.`;
  const hint = guess === undefined ? takes : `Did you mean --${guess}?`;
  throw new UsageError(`The tool has no parameter --${name.slice(0, 60)}. ${hint}`);
}

function valueOf({ name, value_schema }: Parameter, values: readonly string[]): unknown {
  const [first = ""] = values;
  if (value_schema.val_type === "array") return listOf(values, value_schema.inner_val_type);
  if (values.length > 1) throw new UsageError(`--${name} occurs more than once; it takes one value.`);
  if (value_schema.val_type === "number" && /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(first))
    return parseJson(first);
  if (value_schema.val_type === "json" && /^\s*[[{]/.test(first)) return jsonOr(first, first);
  return first;
}

// A single JSON array is the whole list. Otherwise each value is an element; the runtime does not convert elements.
function listOf(values: readonly string[], inner: string | undefined): unknown {
  const [first = ""] = values;
  if (values.length === 1 && first.trim().startsWith("[")) return first;
  return inner === undefined || inner === "string"
    ? [...values]
    : values.map((value) => jsonOr(value, value));
}

function jsonOr(text: string, fallback: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return fallback;
  }
}
