// Reading fields of answers whose shape is not checked against a schema.
import { isObject, type Json, type JsonObject } from "../../src/tools";

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return isObject(value);
}

/** The text in a field, empty text included; undefined for anything else. */
export function textIn(from: JsonObject, field: string): string | undefined {
  const value = from[field];
  return typeof value === "string" ? value : undefined;
}

/** The text in a field; undefined for anything else and for empty text. */
export function nonEmptyTextIn(from: JsonObject, field: string): string | undefined {
  return textIn(from, field) || undefined;
}

/** The number in a field; 0 for anything else. */
export function numberIn(from: JsonObject, field: string): number {
  const value = from[field];
  return typeof value === "number" ? value : 0;
}

/** The object in a field; an empty one for anything else. */
export function objectIn(from: JsonObject, field: string): JsonObject {
  const value = from[field];
  return isJsonObject(value) ? value : {};
}

/** The objects of a list in a field, without its other items. */
export function objectsIn(from: JsonObject, field: string): JsonObject[] {
  const value = from[field];
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** The texts of a list in a field of what may be an object. */
export function textsIn(from: Json | undefined, field: string): string[] {
  const value = isJsonObject(from) ? from[field] : undefined;
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
