// Reads fields of answers that are not checked against a schema.
import { isObject, type Json, type JsonObject } from "../../src/tools";

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return isObject(value);
}

/** The text in a field, also empty text; undefined for anything else. */
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

/** The object in a field; an empty object for anything else. */
export function objectIn(from: JsonObject, field: string): JsonObject {
  const value = from[field];
  return isJsonObject(value) ? value : {};
}

/** The objects in a list field; other items are left out. */
export function objectsIn(from: JsonObject, field: string): JsonObject[] {
  const value = from[field];
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** The texts in a list field; none if `from` is not an object. */
export function textsIn(from: Json | undefined, field: string): string[] {
  const value = isJsonObject(from) ? from[field] : undefined;
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
