// Reading fields of answers whose shape is the platform's word, not a checked schema. The platform leaves out what is
// zero, false or empty, so an absent field reads as exactly that.
import { isObject, type Json, type JsonObject } from "../../../src/tools";

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return isObject(value);
}

/** The text in a field; undefined for anything else and for empty text. */
export function textIn(from: JsonObject, field: string): string | undefined {
  const value = from[field];
  return typeof value === "string" && value !== "" ? value : undefined;
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

/** The objects of a list in a field; whatever else stands in the list is left out. */
export function objectsIn(from: JsonObject, field: string): JsonObject[] {
  const value = from[field];
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
