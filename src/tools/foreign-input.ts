// Input of tools of workers: their own schemas judge it. Only what they would refuse anyway is converted.
import { isObject, type JsonObject, parseJson } from "../base";
import type { FieldError } from "../errors";
import { foreignErrors, TOO_COMPLEX, withDoubles, withLongIntegers, withSchemasOf } from "../schemas";
import type { ToolDefinition } from "./definition";
import { parameterNames } from "./formats/parameter-names";
import { selfContained } from "./formats/self-contained";
import { type Input, unknownParameters } from "./unknown-parameters";
import { badInput } from "./tool-error";

/** Characters of schemas in a hint for the model. */
const LONGEST_HINT = 4000;

/**
 * The input as the worker receives it. `null` counts as absent where the schema does not allow it, text is converted where the
 * schema takes no text, and defaults are left to the worker. Throws a `ToolError` that names the field.
 */
export function convertForeignInput({ input: schema }: ToolDefinition, given: Input): Input {
  const named = withOwnNames(schema, given);
  const unknown = unknownIn(schema, named);
  if (unknown.length > 0) throw unknownParameters(unknown, Object.keys(schema.properties));
  const converted = withSchemasOf(schema, (parameters): Input => {
    const entries = Object.entries(named).flatMap(([name, value]): [string, unknown][] => {
      if (value === undefined) return [];
      const { types } = parameters.inside(name);
      if (value === null) return types === undefined || types.has("null") ? [[name, null]] : [];
      return [[name, typeof value === "string" ? fromText(value, types) : value]];
    });
    // Assigning `__proto__` would set the prototype.
    return withLongIntegers(parameters, Object.fromEntries(entries));
  });
  if (converted === undefined) throw invalid(schema, [TOO_COMPLEX]);
  const errors = foreignErrors(schema, withDoubles(converted));
  if (errors.length > 0) throw invalid(schema, errors);
  return converted;
}

/** Models may know a parameter by a simpler name. */
function withOwnNames({ properties }: ToolDefinition["input"], given: Input): Input {
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(properties, name));
  if (unknown.length === 0) return given;
  const names = parameterNames(Object.keys(properties));
  const own = new Map([...names].map(([name, simple]) => [simple, name]));
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const meant = unknown.includes(name) ? own.get(name) : undefined;
      return [meant === undefined || Object.hasOwn(given, meant) ? name : meant, value];
    }),
  );
}

/** Names that the schema refuses, which deserve a better text than its own. */
function unknownIn(schema: ToolDefinition["input"], given: Input): string[] {
  const closed = "additionalProperties" in schema && schema.additionalProperties === false;
  if (!closed || "patternProperties" in schema) return [];
  return Object.keys(given).filter((name) => !Object.hasOwn(schema.properties, name));
}

/** Text for a parameter that takes no text. What cannot be converted stays, for the check to refuse. */
function fromText(text: string, types: ReadonlySet<unknown> | undefined): unknown {
  if (types === undefined || types.has("string")) return text;
  if (types.has("integer") && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (types.has("number") && /^-?\d{1,12}\.\d{1,3}$/.test(text)) return Number(text);
  if (types.has("boolean") && (text === "true" || text === "false")) return text === "true";
  const opening = text.trimStart().charAt(0);
  return (opening === "[" && types.has("array")) || (opening === "{" && types.has("object"))
    ? parsed(text)
    : text;
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

function invalid(schema: ToolDefinition["input"], errors: readonly FieldError[]): Error {
  const text = errors.map(({ field, message }) => `${field} ${message}`.trim()).join("; ");
  const hint = hintFor(schema, new Set(errors.map(({ field }) => field.split(".")[0] ?? "")));
  return badInput(`The input is not valid: ${text}.`, {
    developerMessage: text,
    ...(hint === undefined ? {} : { additionalPromptContent: hint }),
  });
}

/** The schemas of the parameters to correct, as far as they are short. */
function hintFor(schema: ToolDefinition["input"], names: ReadonlySet<string>): string | undefined {
  const { properties } = selfContained(schema);
  const shown: JsonObject = {};
  let left = LONGEST_HINT;
  for (const name of names) {
    const parameter = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
    const text = JSON.stringify(parameter) ?? "";
    if (text === "" || text.length > left || name === "__proto__") continue;
    left -= text.length;
    shown[name] = JSON.parse(text);
  }
  if (Object.keys(shown).length > 0)
    return `Correct these parameters and call again: ${JSON.stringify(shown)}`;
  return "Correct these parameters by the schema of the tool and call again.";
}
