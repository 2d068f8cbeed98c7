// Bodies of writes: JSON objects with exact digits.
import { isWireObject, readExact, type WireObject } from "../exact-json";
import type { Arrival } from "../server";
import { badBody } from "./refusal";

/** Throws 400/3020 for a missing body, another content type, and a body that is not a JSON object. */
export function bodyOf({ headers, body }: Arrival): WireObject {
  const type = (headers["content-type"] ?? "").toLowerCase().split(";")[0]?.trim();
  if (body === "" || type !== "application/json") throw badBody();
  const value = readExact(body);
  if (!isWireObject(value)) throw badBody();
  return value;
}

/** For the only route with an optional body. */
export function optionalBody(arrival: Arrival): WireObject {
  return arrival.body === "" ? {} : bodyOf(arrival);
}

/** A member that must be an object. */
export function objectIn(body: WireObject, name: string): WireObject {
  const value = body[name];
  if (!isWireObject(value)) throw badBody();
  return value;
}

/** The requested result fields of each record. */
export interface Wishes {
  readonly fields: readonly string[];
  readonly message: boolean;
  readonly tasks: boolean;
}

/** Throws 400/3020 for members of another type. */
export function wishesOf(body: WireObject): Wishes {
  const result = body["result"] === undefined ? {} : objectIn(body, "result");
  const { fields = [], message = false, tasks = false } = result;
  if (!Array.isArray(fields) || typeof message !== "boolean" || typeof tasks !== "boolean") throw badBody();
  const names = fields.filter((field) => typeof field === "string");
  if (names.length !== fields.length) throw badBody();
  return { fields: names, message, tasks };
}
