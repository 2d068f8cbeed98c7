// Validates requests against their schemas. The error names fields and rules and never repeats a submitted value.
import type { Static, TSchema } from "typebox";
// Not typebox/compile: it also loads conversions, defaults and patches, which are not used here.
import { Compile } from "typebox/schema";
import { type FieldError, malformedRequest } from "../errors";
import { excerptOf, longListIn } from "./excerpt";
import { isObject } from "./json";
import { ruleOf, valueAt, type Violation } from "./rule-text";
import { mistypedFields, removeUnknownFields } from "./unknown-fields";

type Check = { Check(value: unknown): boolean; Errors(value: unknown): [boolean, Violation[]] };

/** More would not help anybody to mend a request. */
const MAX_ERRORS = 20;

// Compiling takes 0.2 ms, so each schema is compiled once, when it is first used.
const compiled = new WeakMap<TSchema, Check>();

export function compileOnce(schema: TSchema): Check {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const check: Check = Compile(schema);
  compiled.set(schema, check);
  return check;
}

/**
 * Returns the value, typed, without fields that are `null` where the schema does not allow it (null means "not given"), and
 * without fields that it does not know. Throws `malformed_request` with one entry per invalid field, and for an unknown field
 * that is very likely a mistyped known one. `what` names the value: "request body".
 */
export function checked<T extends TSchema>(schema: T, value: unknown, what: string): Static<T> {
  const cleaned = withoutNulls(schema, value);
  const errors = [...fieldErrors(schema, cleaned), ...mistypedFields(schema, cleaned)].slice(0, MAX_ERRORS);
  if (errors.length === 0) {
    removeUnknownFields(schema, cleaned);
    // Checked against this schema above.
    return cleaned as Static<T>;
  }
  const list = errors
    .map(({ field, message }) => (field === "" ? message : `${field} ${message}`))
    .join("; ");
  throw malformedRequest(`failed to validate ${what}: ${list}`, { fieldErrors: errors });
}

/** Validation errors, at most one per field; empty if the value is valid. */
export function fieldErrors(schema: TSchema, value: unknown): FieldError[] {
  const check = compileOnce(schema);
  if (check.Check(value)) return [];
  const long = longListIn(schema, value);
  if (long !== undefined)
    return [{ field: long.field, rule: "maxItems", message: `must not have more than ${long.most} items` }];
  const excerpt = excerptOf(value);
  const byPath = new Map<string, Violation[]>();
  for (const violation of check.Errors(excerpt)[1]) {
    // The failures inside an alternative say more than the failure of the alternative itself.
    if (violation.keyword === "boolean" || violation.keyword === "anyOf") continue;
    const path = violation.instancePath;
    byPath.set(path, [...(byPath.get(path) ?? []), violation]);
  }
  const errors: FieldError[] = [];
  for (const [path, violations] of byPath) {
    for (const error of explain(path, violations, excerpt)) {
      if (!errors.some((known) => known.field === error.field)) errors.push(error);
    }
  }
  return errors.length > 0
    ? errors.slice(0, MAX_ERRORS)
    : [{ field: "", rule: "schema", message: "has the wrong form" }];
}

function explain(path: string, violations: readonly Violation[], value: unknown): FieldError[] {
  const field = path.slice(1).replaceAll("/", ".");
  const missing = violations.flatMap(({ params }) =>
    "requiredProperties" in params && Array.isArray(params.requiredProperties)
      ? params.requiredProperties
      : [],
  );
  const required = missing.map((name: unknown) => ({
    field: field === "" ? String(name) : `${field}.${String(name)}`,
    rule: "required",
    message: "is required",
  }));
  const others = violations.filter(({ params }) => !("requiredProperties" in params));
  return others.length === 0 ? required : [...required, { field, ...ruleOf(others, valueAt(value, path)) }];
}

/** The value without fields that are `null` where the schema does not allow it. */
export function withoutNulls(schema: TSchema, value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = "items" in schema ? schema.items : undefined;
    return isSchema(items) ? value.map((item: unknown) => withoutNulls(items, item)) : value;
  }
  if (!isObject(value)) return value;
  const cleaned: { [key: string]: unknown } = {};
  for (const key of Object.keys(value)) {
    // Assigning it would set the prototype and add fields that the request does not have.
    if (key === "__proto__") continue;
    const inner = value[key];
    const field = fieldOf(schema, key);
    if (!isSchema(field)) cleaned[key] = inner;
    else if (inner !== null) cleaned[key] = withoutNulls(field, inner);
    else if (compileOnce(field).Check(null)) cleaned[key] = null;
  }
  return cleaned;
}

// The schema of a property, or that of all values of a map.
function fieldOf(schema: TSchema, key: string): unknown {
  const properties = "properties" in schema && isObject(schema.properties) ? schema.properties : {};
  if (Object.hasOwn(properties, key)) return properties[key];
  const map = "patternProperties" in schema ? schema.patternProperties : undefined;
  return isObject(map) ? Object.values(map)[0] : undefined;
}

function isSchema(value: unknown): value is TSchema {
  return isObject(value);
}
