// Fields of a value that its schema does not know, and what their sender may have meant.
import type { FieldError } from "../errors";
import { isObject } from "./json";
import { typoOf } from "./nearest";

/** Clients may send fields that we do not know, but hardly more than these. */
const MAX_LOOKED_AT = 1000;

/**
 * Names of fields that are passed on, of one request, that are compared with known ones: the work is their product. Servers of
 * models have a few dozen more fields than we know.
 */
const MAX_COMPARED = 200;

/** A field that the schema does not know. */
export interface UnknownField {
  /** The names and indexes that lead to it; the last one is its own name. */
  path: readonly (string | number)[];
  name: string;
  /** The names that the schema knows there. */
  known: readonly string[];
}

/**
 * The keyword of an object whose other fields are passed on to a server that may know them. Only a name that is very likely a
 * mistyped one of `reads` counts as unknown there, unless that one is given as well or the server is known to have the name.
 */
export interface PassesOn {
  /** The fields that this server reads itself. */
  reads: readonly string[];
  /** Names close to them that other servers do know. */
  others: readonly string[];
}

/**
 * The fields, in the order of the value, at most `most`. Objects whose fields are free, such as the inputs of a tool, are
 * not looked into.
 */
export function unknownFields(schema: unknown, value: unknown, most: number): UnknownField[] {
  const found: UnknownField[] = [];
  collect([schema], value, [], { found, most, meant: new Map(), compared: 0 });
  return found;
}

/**
 * Removes such fields from the value. They are ignored, so they must not be stored either: stored fields are shown, and an
 * unknown one may be a secret.
 */
export function removeUnknownFields(schema: unknown, value: unknown): void {
  let found: UnknownField[];
  do {
    found = unknownFields(schema, value, MAX_LOOKED_AT);
    for (const { path, name } of found) {
      const holder = path.slice(0, -1).reduce<unknown>((at, step) => (at as Holder)[step], value);
      delete (holder as Holder)[name];
    }
  } while (found.length === MAX_LOOKED_AT);
}

/** An object or a list, on the way to a field that was found. */
type Holder = { [step: string | number]: unknown };

/** One error for each unknown field that is very likely a mistyped known one. Clients may send other fields. */
export function mistypedFields(schema: unknown, value: unknown): FieldError[] {
  return unknownFields(schema, value, MAX_LOOKED_AT).flatMap(({ path, name, known }) => {
    const meant = typoOf(name, known);
    if (meant === undefined) return [];
    return [{ field: path.join("."), rule: "unknown", message: unknownMessage(meant) }];
  });
}

/** What an error says about an unknown field, after its name. */
export function unknownMessage(meant: string | undefined): string {
  return meant === undefined ? "is not a known field" : `is not a known field; did you mean ${meant}?`;
}

interface Search {
  found: UnknownField[];
  most: number;
  /** What names that are passed on may mean: all messages have the same ones. */
  meant: Map<PassesOn, Map<string, string | undefined>>;
  compared: number;
}

function collect(
  schemas: readonly unknown[],
  value: unknown,
  path: readonly (string | number)[],
  search: Search,
): void {
  if (search.found.length >= search.most) return;
  const applying = schemas.flatMap(alternatives);
  if (Array.isArray(value)) {
    const items = applying.map((schema) => schema["items"]).filter(isObject);
    if (items.length === 0) return;
    // Only objects and lists have fields. A list of tokens is long.
    for (let index = 0; index < value.length; index++)
      if (typeof value[index] === "object") collect(items, value[index], [...path, index], search);
    return;
  }
  if (!isObject(value)) return;
  const known = fieldsOf(applying);
  if (known === undefined) return;
  const { fields, passesOn } = known;
  for (const name of Object.keys(value)) {
    const [inner, field] = [fields.get(name), value[name]];
    if (inner !== undefined) {
      if (typeof field === "object") collect(inner, field, [...path, name], search);
    } else if (search.found.length >= search.most) return;
    else if (passesOn === undefined)
      search.found.push({ path: [...path, name], name, known: [...fields.keys()] });
    else if (isMistyped(name, value, passesOn, search))
      search.found.push({ path: [...path, name], name, known: passesOn.reads });
  }
}

function isMistyped(name: string, value: Schema, passesOn: PassesOn, search: Search): boolean {
  const meant = meantBy(name, passesOn, search);
  return meant !== undefined && !Object.hasOwn(value, meant);
}

function meantBy(name: string, passesOn: PassesOn, search: Search): string | undefined {
  const known = search.meant.get(passesOn) ?? new Map<string, string | undefined>();
  search.meant.set(passesOn, known);
  if (known.has(name) || search.compared >= MAX_COMPARED) return known.get(name);
  search.compared++;
  const meant = passesOn.others.includes(name) ? undefined : typoOf(name, passesOn.reads);
  known.set(name, meant);
  return meant;
}

/** The schemas that may apply to the same value. */
function alternatives(schema: unknown): Schema[] {
  if (!isObject(schema)) return [];
  const parts = [schema["allOf"], schema["anyOf"], schema["oneOf"]].filter(Array.isArray);
  return parts.length === 0 ? [schema] : parts.flat().flatMap(alternatives);
}

type Schema = { readonly [key: string]: unknown };
type Fields = { fields: Map<string, unknown[]>; passesOn: PassesOn | undefined } | undefined;

// Most values have one schema, and its fields do not change.
const ofOne = new WeakMap<Schema, { fields: Fields }>();

/** The schemas of the known fields, by name; undefined if the fields are free. */
function fieldsOf(schemas: readonly Schema[]): Fields {
  const [only, ...more] = schemas;
  if (only === undefined || more.length > 0) return mergedFields(schemas);
  const known = ofOne.get(only) ?? { fields: mergedFields(schemas) };
  ofOne.set(only, known);
  return known.fields;
}

function mergedFields(schemas: readonly Schema[]): Fields {
  const fields = new Map<string, unknown[]>();
  const passing: PassesOn[] = [];
  for (const schema of schemas) {
    const { properties, patternProperties, additionalProperties, type, enum: values } = schema;
    // An alternative for another kind of value.
    const isOther = values !== undefined || (type !== undefined && type !== "object");
    if (properties === undefined && isOther) continue;
    const passesOn = passesOnOf(schema);
    const isFree =
      patternProperties !== undefined ||
      (passesOn === undefined && (additionalProperties ?? false) !== false);
    if (!isObject(properties) || isFree) return undefined;
    if (passesOn !== undefined) passing.push(passesOn);
    for (const [name, field] of Object.entries(properties))
      fields.set(name, [...(fields.get(name) ?? []), field]);
  }
  const [only] = passing;
  if (only !== undefined && passing.length === 1) return { fields, passesOn: only };
  if (passing.length > 0) {
    const [reads, others] = [passing.flatMap((one) => one.reads), passing.flatMap((one) => one.others)];
    return { fields, passesOn: { reads, others } };
  }
  return fields.size === 0 ? undefined : { fields, passesOn: undefined };
}

function passesOnOf({ passesOn }: Schema): PassesOn | undefined {
  // Only our own schemas have it.
  return isObject(passesOn) ? (passesOn as unknown as PassesOn) : undefined;
}
