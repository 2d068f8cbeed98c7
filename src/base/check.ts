// Requests against their schemas. The refusal names fields and rules and never repeats a submitted value.
import type { Static, TSchema } from "typebox";
// Not from typebox/compile: that one brings conversions, defaults and patches with it, which nobody here uses.
import { Compile } from "typebox/schema";
import { type FieldError, malformedRequest } from "../errors";
import { isObject } from "./json";

type Check = { Check(value: unknown): boolean; Errors(value: unknown): [boolean, Failure[]] };
interface Failure {
  keyword: string;
  instancePath: string;
  message: string;
  params: object;
}

// Compiling costs 0.2 ms: each schema once, when it is first used.
const compiled = new WeakMap<TSchema, Check>();

export function compileOnce(schema: TSchema): Check {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const check: Check = Compile(schema);
  compiled.set(schema, check);
  return check;
}

/**
 * The value, typed, with `null` fields removed where the schema has no place for `null` (null means "not given").
 * Throws `malformed_request` with one entry per broken field. `what` names the value: "request body".
 */
export function checked<T extends TSchema>(schema: T, value: unknown, what: string): Static<T> {
  const given = withoutNulls(schema, value);
  const errors = fieldErrors(schema, given);
  // Checked against this very schema on the line above.
  if (errors.length === 0) return given as Static<T>;
  const list = errors
    .map(({ field, message }) => (field === "" ? message : `${field} ${message}`))
    .join("; ");
  throw malformedRequest(`failed to validate ${what}: ${list}`, { fieldErrors: errors });
}

/** What breaks the schema, field by field; empty when nothing does. */
export function fieldErrors(schema: TSchema, value: unknown): FieldError[] {
  const check = compileOnce(schema);
  if (check.Check(value)) return [];
  const errors: FieldError[] = [];
  for (const failure of check.Errors(value)[1]) {
    // An alternative's own failures say nothing that the alternative as a whole does not say.
    if (failure.keyword === "boolean" || failure.keyword === "anyOf") continue;
    for (const error of explain(failure)) {
      if (!errors.some((known) => known.field === error.field)) errors.push(error);
    }
  }
  return errors.length > 0
    ? errors.slice(0, 20)
    : [{ field: "", rule: "schema", message: "has the wrong form" }];
}

function explain(failure: Failure): FieldError[] {
  const field = failure.instancePath.slice(1).replaceAll("/", ".");
  const missing = "requiredProperties" in failure.params ? failure.params.requiredProperties : undefined;
  if (Array.isArray(missing)) {
    return missing.map((name: unknown) => ({
      field: field === "" ? String(name) : `${field}.${String(name)}`,
      rule: "required",
      message: "is required",
    }));
  }
  return [{ field, rule: failure.keyword, message: failure.message }];
}

function withoutNulls(schema: TSchema, value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = "items" in schema ? schema.items : undefined;
    return isSchema(items) ? value.map((item: unknown) => withoutNulls(items, item)) : value;
  }
  if (!isObject(value)) return value;
  const kept: { [key: string]: unknown } = {};
  for (const key of Object.keys(value)) {
    // Assigned like other keys it would set the prototype, and fields would be found that nobody sent.
    if (key === "__proto__") continue;
    const inner = value[key];
    const field = fieldOf(schema, key);
    if (!isSchema(field)) kept[key] = inner;
    else if (inner !== null) kept[key] = withoutNulls(field, inner);
    else if (compileOnce(field).Check(null)) kept[key] = null;
  }
  return kept;
}

// The field by its own name, or what all fields of a free map are.
function fieldOf(schema: TSchema, key: string): unknown {
  const properties = "properties" in schema && isObject(schema.properties) ? schema.properties : {};
  if (Object.hasOwn(properties, key)) return properties[key];
  const map = "patternProperties" in schema ? schema.patternProperties : undefined;
  return isObject(map) ? Object.values(map)[0] : undefined;
}

function isSchema(value: unknown): value is TSchema {
  return isObject(value);
}

/** Whether a text holds the NUL character, which no text of ours may: databases and C libraries cut there. */
export function hasNul(value: unknown): boolean {
  if (typeof value === "string") return value.includes("\0");
  if (Array.isArray(value)) return value.some(hasNul);
  return isObject(value) && Object.entries(value).some(([key, inner]) => hasNul(key) || hasNul(inner));
}
