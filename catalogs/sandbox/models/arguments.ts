// The arguments of a call, from a sentence.
import type { Offer } from "./choice";
import { KINDS, Sentence } from "./sentence";

export interface Arguments {
  readonly values: Readonly<Record<string, unknown>>;
  /** Required parameters without a value. */
  readonly missing: readonly string[];
}

type Schema = Readonly<Record<string, unknown>>;

/** Reads the arguments of a tool. */
export function argumentsFor(prompt: string, { parameters }: Offer): Arguments {
  const properties = isRecord(parameters["properties"]) ? parameters["properties"] : {};
  const required = Array.isArray(parameters["required"]) ? parameters["required"].map(String) : [];
  const sentence = new Sentence(prompt);
  const values: Record<string, unknown> = {};
  const used = new Set<object>();
  // Required ones first: a quoted text is for them.
  const names = Object.keys(properties).toSorted(
    (left, right) => Number(required.includes(right)) - Number(required.includes(left)),
  );
  for (const name of names) {
    const schema = isRecord(properties[name]) ? properties[name] : {};
    const value = valueOf({ name, schema, isRequired: required.includes(name) }, sentence, used);
    if (value !== undefined) values[name] = value;
  }
  return { values, missing: required.filter((name) => !(name in values)) };
}

interface Parameter {
  name: string;
  schema: Schema;
  isRequired: boolean;
}

/** `used`: the kinds that other parameters have their values from. */
function valueOf(parameter: Parameter, sentence: Sentence, used: Set<object>): unknown {
  const { name, schema, isRequired } = parameter;
  const named = namedValue(name, sentence.text);
  if (named !== undefined) return converted(named, schema);
  const type = typeOf(schema);
  if (Array.isArray(schema["enum"])) {
    const choices = schema["enum"].map(String);
    return choices.find((choice) => sentence.has(choice)) ?? (isRequired ? choices[0] : undefined);
  }
  if (type === "integer" || type === "number") return isRequired ? numberIn(sentence) : undefined;
  if (type === "boolean") return isRequired ? true : undefined;
  const items = isRecord(schema["items"]) ? typeOf(schema["items"]) : "string";
  if (type !== "string" && (type !== "array" || items !== "string")) return undefined;
  const found = textOf(parameter, sentence, used);
  return found !== undefined && type === "array" ? [found] : found;
}

function textOf({ name, isRequired }: Parameter, sentence: Sentence, used: Set<object>): string | undefined {
  const kind = KINDS.find(({ names }) => names.test(name.toLowerCase()));
  if (kind === undefined) return isRequired ? sentence.quoted() : undefined;
  if (used.has(kind)) return undefined;
  const found = kind.read(sentence);
  if (found !== undefined) used.add(kind);
  return found;
}

/** `channel_name=general`, `channel_name: "general"` */
function namedValue(name: string, text: string): string | undefined {
  const folded = text.toLowerCase();
  for (const sign of ["=", ":", " =", " :"]) {
    const at = folded.indexOf(name.toLowerCase() + sign);
    if (at < 0 || /\w/.test(text[at - 1] ?? "")) continue;
    const rest = text.slice(at + name.length + sign.length).trimStart();
    const [, double, single, plain] = /^"([^"]*)"|^'([^']*)'|^(\S+)/.exec(rest) ?? [];
    return double ?? single ?? plain?.replace(/[,;]$/, "");
  }
  return undefined;
}

function converted(text: string, schema: Schema): unknown {
  const type = typeOf(schema);
  if (type === "integer" || type === "number") return Number(text);
  if (type === "boolean") return text === "true";
  return type === "array" ? text.split(",") : text;
}

function numberIn({ words }: Sentence): number | undefined {
  const found = words.find((word) => /^-?\d{1,15}(?:\.\d{1,6})?$/.test(word));
  return found === undefined ? undefined : Number(found);
}

/** The type, without null. */
function typeOf({ type }: Schema): string {
  const types: unknown[] = Array.isArray(type) ? type : [type];
  return String(types.find((one) => one !== "null") ?? "string");
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
