// Converts the types of the protocol to JSON Schema. Every field of every age of the protocol is optional, and `null` means
// absent. `required_keys` and `nullable` are newer than nested types: without them nothing is known.
import { isObject, type JsonObject } from "../../base";

/** Called with what was left out, and why. */
export type Note = (reason: string) => void;

/** The schema of a type. `place` names it in notes. */
export function jsonSchemaOf(given: unknown, place: string, note: Note): JsonObject {
  if (!isObject(given)) return {};
  const { val_type: type } = given;
  const schema = shapeOf(given, place, note);
  if (schema === undefined) {
    note(`${place} has a type that is not known (${shown(type)}), so it is not checked`);
    return described({}, given);
  }
  return described(given["nullable"] === true ? nullable(schema) : schema, given);
}

/**
 * The schema of a result. Older workers fill in absent members with null and say nothing of it, and clients of gateways
 * refuse a result that does not match.
 */
export function resultSchemaOf(given: unknown, mayBeNull: boolean, note: Note): JsonObject {
  const schema = membersNullable(jsonSchemaOf(given, "the output", note));
  return mayBeNull ? nullable(schema) : schema;
}

function membersNullable(schema: JsonObject): JsonObject {
  const { properties, items } = schema;
  return {
    ...schema,
    ...(isObject(items) ? { items: membersNullable(items) } : {}),
    ...(isObject(properties)
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, member]) => [
              name,
              isObject(member) ? nullable(membersNullable(member)) : member,
            ]),
          ),
        }
      : {}),
  };
}

function shapeOf(given: Fields, place: string, note: Note): JsonObject | undefined {
  switch (given["val_type"]) {
    case "string":
      return { type: "string", ...closedList(given, place, note) };
    case "integer":
    case "number":
    case "boolean":
      if (isList(given["enum"])) note(`${place} has a list of texts for values of another type; left out`);
      return { type: given["val_type"] };
    case "json":
      return isObject(given["properties"])
        ? objectOf(given["properties"], given["required_keys"], place, note)
        : {};
    case "array":
      return { type: "array", items: itemsOf(given, place, note) };
    default:
      return undefined;
  }
}

/** The list of texts of an array is that of its entries. */
function itemsOf(given: Fields, place: string, note: Note): JsonObject {
  const { inner_val_type: type, inner_properties, inner_required_keys } = given;
  if (type === undefined || type === null) return {};
  return jsonSchemaOf(
    { val_type: type, enum: given["enum"], properties: inner_properties, required_keys: inner_required_keys },
    `${place}[]`,
    note,
  );
}

type Fields = { [key: string]: unknown };

function objectOf(properties: Fields, required: unknown, place: string, note: Note): JsonObject {
  const members = Object.entries(properties).map(
    ([name, type]) => [name, jsonSchemaOf(type, `${place}.${name}`, note)] as const,
  );
  const names = texts(required).filter((name) => Object.hasOwn(properties, name));
  return {
    type: "object",
    properties: Object.fromEntries(members),
    ...(names.length === 0 ? {} : { required: names }),
  };
}

function closedList(given: Fields, place: string, note: Note): JsonObject {
  const { enum: list } = given;
  const values = texts(list);
  if (list === undefined || list === null || (Array.isArray(list) && list.length === 0)) return {};
  if (Array.isArray(list) && list.every((value) => typeof value === "string")) return { enum: values };
  note(`${place} has an enum that is not a list of texts; left out`);
  return {};
}

function nullable(schema: JsonObject): JsonObject {
  const { type, enum: values } = schema;
  if (typeof type !== "string") return schema;
  return {
    ...schema,
    type: [type, "null"],
    ...(Array.isArray(values) ? { enum: [...values, null] } : {}),
  };
}

function described(schema: JsonObject, { description }: Fields): JsonObject {
  return typeof description === "string" && description !== "" ? { ...schema, description } : schema;
}

export function texts(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return [...new Set(value.filter((each): each is string => typeof each === "string"))];
}

function isList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

function shown(value: unknown): string {
  return typeof value === "string" && /^[\w-]{1,40}$/.test(value) ? value : "not a word";
}
