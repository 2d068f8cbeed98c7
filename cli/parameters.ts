// Parameters of a tool from the command line. The text after the first `=` is the value; the runtime converts it. Only
// types that the runtime does not convert from text are parsed here.
import { nearest, parseJson } from "../src/base";
import type { ToolRecord } from "../src/tools";
import { UsageError } from "./errors";

type Parameter = ToolRecord["input"]["parameters"][number];

/** `--channel_name=x`, `--channel-name=x`, `channel_name=x`, `--flag` → input. Throws `usage` naming the parameter. */
export function readParameters(
  words: readonly string[],
  parameters: readonly Parameter[],
): { [name: string]: unknown } {
  const texts = new Map<Parameter, string[]>();
  for (const word of words) {
    const { name, text } = split(word);
    const parameter = find(name, parameters);
    const value = text ?? bareValue(parameter);
    texts.set(parameter, [...(texts.get(parameter) ?? []), value]);
  }
  return Object.fromEntries(
    [...texts].map(([parameter, values]) => [parameter.name, valueOf(parameter, values)]),
  );
}

function split(word: string): { name: string; text: string | undefined } {
  const at = word.indexOf("=");
  const name = (at < 0 ? word : word.slice(0, at)).replace(/^--/, "");
  if (at < 0 && !word.startsWith("--")) {
    throw new UsageError(
      "A word is neither a flag nor a parameter. Write parameters as --name value or name=value.",
    );
  }
  return { name, text: at < 0 ? undefined : word.slice(at + 1) };
}

function find(name: string, parameters: readonly Parameter[]): Parameter {
  const wanted = name.replaceAll("-", "_");
  const found = parameters.find((each) => each.name.replaceAll("-", "_") === wanted);
  if (found !== undefined) return found;
  const names = parameters.map((each) => each.name);
  const guess = nearest(name, names);
  const takes = names.length === 0 ? "It takes no parameters." : `It takes: ${names.join(", ")}.`;
  const hint = guess === undefined ? takes : `Did you mean --${guess}?`;
  throw new UsageError(`The tool has no parameter --${name.slice(0, 60)}. ${hint}`);
}

function bareValue({ name, value_schema }: Parameter): string {
  if (value_schema.val_type === "boolean") return "true";
  throw new UsageError(`--${name} needs a value. Write a value that begins with -- as --${name}=VALUE.`);
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
