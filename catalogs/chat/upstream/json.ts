// Reading fields of answers whose shape is the platform's word, not a checked schema.
import { isObject, type Json, type JsonObject } from "../../../src/tools";

/** The text in a field; undefined for anything else, `null` included. Empty text is text. */
export function textIn(from: JsonObject, field: string): string | undefined {
  const value = from[field];
  return typeof value === "string" ? value : undefined;
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

/** The texts of a list in a field of what may be an object. */
export function textsIn(from: Json | undefined, field: string): string[] {
  const value = isJsonObject(from) ? from[field] : undefined;
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return isObject(value);
}

/** Where the next page of a listing begins; undefined at its end, which the platform tells in three ways. */
export function nextCursorIn(body: JsonObject): string | undefined {
  return textIn(objectIn(body, "response_metadata"), "next_cursor") || undefined;
}
