// Tool input: converted by the same strict rules for all toolkits, then checked against the tool's schema.
import type { FieldError } from "../errors";
import { closedList, fieldErrors, isObject, parseJson } from "../base";
import type { ToolDefinition } from "./definition";
import { convertForeignInput } from "./foreign-input";
import { badInput, ToolError } from "./tool-error";
import { type Input, unknownParameters } from "./unknown-parameters";

export type { Input };

/** Entries of a list parameter; characters of a text and of an entry. */
const MOST_ENTRIES = 1000;
const MOST_CHARACTERS = 100_000;

/**
 * The input as the tool receives it: `null` counts as absent, defaults are filled in, and text for an integer, boolean or
 * list is parsed; nothing else is converted. A tool of a worker has rules of its own (`foreign-input.ts`). Throws a `ToolError` that names the field.
 */
export function convertInput(definition: ToolDefinition, given: Input): Input {
  if (definition.foreign === true) return convertForeignInput(definition, given);
  const { properties } = definition.input;
  const lenient = definition.waivesRequirements?.(given as never) === true;
  const converted: Input = {};
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(properties, name));
  if (unknown.length > 0 && !lenient) throw unknownParameters(unknown, Object.keys(properties));
  for (const name of Object.keys(given)) {
    const value = given[name];
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (schema !== undefined && value !== null && value !== undefined) {
      converted[name] = convert(definition, name, schema, value);
    }
  }
  for (const [name, schema] of Object.entries(properties)) {
    if (converted[name] !== undefined || !isObject(schema) || !("default" in schema)) continue;
    // A copy, because a tool may change its input.
    converted[name] = structuredClone(schema["default"]);
  }
  const errors = errorsOf(definition, converted);
  // An input without requirements (a request for a schema) must not fail because of parameters that the tool ignores.
  if (lenient) return without(converted, optionalOnes(definition, errors));
  if (errors.length > 0) throw invalid(definition, errors);
  return converted;
}

/** As `convertInput`, but returns the `ToolError`. */
export function judgeBySchema(definition: ToolDefinition, given: Input): Input | ToolError {
  try {
    return convertInput(definition, given);
  } catch (error) {
    if (error instanceof ToolError) return error;
    throw error;
  }
}

/** As `convertInput`, also by the tool's own rules (`judge`): an input with which the tool may run. */
export async function checkInput(definition: ToolDefinition, given: Input): Promise<Input> {
  const input = convertInput(definition, given);
  // The caller's input is JSON; the definition only reads it.
  if (definition.judge === undefined || definition.waivesRequirements?.(given as never) === true)
    return input;
  await definition.judge(input);
  return input;
}

/** As `checkInput`, but returns the `ToolError`. */
export async function judgeInput(definition: ToolDefinition, given: Input): Promise<Input | ToolError> {
  try {
    return await checkInput(definition, given);
  } catch (error) {
    if (error instanceof ToolError) return error;
    throw error;
  }
}

function errorsOf({ input: schema, checksItself = [] }: ToolDefinition, input: Input): FieldError[] {
  const errors = fieldErrors(schema, input);
  return errors.length === 0
    ? errors
    : errors.filter(({ field }) => !checksItself.includes(parameterOf(field)));
}

function parameterOf(field: string): string {
  return field.split(".")[0] ?? "";
}

/** The parameters with errors. Throws if a required one is among them. */
function optionalOnes(definition: ToolDefinition, errors: readonly FieldError[]): string[] {
  const names = errors.map(({ field }) => parameterOf(field));
  if (names.some((name) => definition.input.required?.includes(name))) throw invalid(definition, errors);
  return names;
}

function without(input: Input, names: readonly string[]): Input {
  return Object.fromEntries(Object.entries(input).filter(([name]) => !names.includes(name)));
}

/** The error names the rules that are broken; its hint has the whole schema of each parameter that breaks one. */
function invalid(definition: ToolDefinition, errors: readonly FieldError[]): Error {
  const text = errors
    .map(({ field, rule, message }) => `${field} ${message}${acceptedBy(definition, field, rule)}`.trim())
    .join("; ");
  return badInput(`The input is not valid: ${text}.`, {
    developerMessage: text,
    ...correction(definition, new Set(errors.map(({ field }) => parameterOf(field)))),
  });
}

/** What a missing parameter or one of a wrong type may be. The message of any other rule says it already. */
function acceptedBy({ input: { properties } }: ToolDefinition, field: string, rule: string): string {
  const schema: unknown = Object.hasOwn(properties, field) ? properties[field] : undefined;
  if (!isObject(schema) || (rule !== "required" && rule !== "type")) return "";
  const { enum: values, examples } = schema;
  if (Array.isArray(values)) return ` and ${closedList(values)}`;
  const [example]: unknown[] = Array.isArray(examples) ? examples : [];
  return example === undefined ? "" : ` (for example: ${JSON.stringify(example)})`;
}

/** What the named parameters accept, for the model's next attempt. */
function correction(
  { input: { properties } }: ToolDefinition,
  names: Iterable<string>,
): { additionalPromptContent: string } {
  const schemas = [...names]
    .filter((name) => Object.hasOwn(properties, name))
    .map((name) => [name, properties[name]]);
  return {
    additionalPromptContent: `Correct these parameters and call again: ${JSON.stringify(Object.fromEntries(schemas))}`,
  };
}

function convert(definition: ToolDefinition, name: string, schema: unknown, value: unknown): unknown {
  const type = isObject(schema) ? schema["type"] : undefined;
  if (type === "integer") return clamp(definition, name, integer(value));
  if (type === "boolean") return value === "true" ? true : value === "false" ? false : value;
  if (type === "array") {
    const entries = list(definition, name, value);
    requireFew(name, entries);
    return withoutBlanks(definition, name, entries);
  }
  if (definition.ids?.includes(name) && Number.isSafeInteger(value)) return String(value);
  if (definition.documents?.includes(name) !== true) requireShort(name, value);
  return value;
}

// Each entry may cost a call to the platform.
function requireFew(name: string, value: unknown): void {
  if (!Array.isArray(value)) return;
  if (value.length > MOST_ENTRIES) {
    throw badInput(
      `${name} must have at most ${MOST_ENTRIES} entries; it has ${value.length}. Split them over several calls.`,
    );
  }
  for (const [index, entry] of value.entries()) requireShort(`${name}.${index}`, entry);
}

// Ids, names and messages: a platform refuses longer ones, after they have been read, encoded and sent.
function requireShort(name: string, value: unknown): void {
  if (typeof value !== "string" || value.length <= MOST_CHARACTERS) return;
  throw badInput(
    `${name} must have at most ${MOST_CHARACTERS} characters; it has ${value.length}. Shorten it and call again.`,
  );
}

function integer(value: unknown): unknown {
  return typeof value === "string" && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
}

function clamp({ clamps = {} }: ToolDefinition, name: string, value: unknown): unknown {
  const range = Object.hasOwn(clamps, name) ? clamps[name] : undefined;
  if (range === undefined || typeof value !== "number") return value;
  return Math.min(range.maximum, Math.max(range.minimum, value));
}

function withoutBlanks({ skipsBlanks }: ToolDefinition, name: string, value: unknown): unknown {
  if (!Array.isArray(value) || skipsBlanks?.includes(name) !== true) return value;
  return value.filter((item) => typeof item !== "string" || item.trim() !== "");
}

function list(definition: ToolDefinition, name: string, value: unknown): unknown {
  if (typeof value !== "string") return value;
  if (value.trim().startsWith("[")) {
    try {
      return parseJson(value);
    } catch {
      return value;
    }
  }
  return definition.singles?.includes(name) ? [value] : value;
}
