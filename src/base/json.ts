// JSON without loss of precision: record ids of 19 digits must pass through unchanged.
import { isDeeper, quoteLongIntegers } from "./json-text";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

const LONG = 16_384;

/** Serialized JSON, sent as it is. */
export class JsonText {
  readonly text: string;
  /** Whether clients may cache it and revalidate it with `etag`. */
  readonly cacheable: boolean;
  #etag: string | undefined;
  #sent = false;
  #blob: Blob | undefined;

  /** `shared`: used for a few answers only, so an ETag is not worth computing. */
  constructor(text: string, use: "cacheable" | "shared" = "cacheable") {
    this.text = text;
    this.cacheable = use === "cacheable";
  }

  /** The body to send. From the second use on, a long text is sent as bytes, so that it is encoded once only. */
  get body(): string | Blob {
    const first = !this.#sent;
    this.#sent = true;
    if (first || this.text.length < LONG) return this.text;
    return (this.#blob ??= new Blob([this.text]));
  }

  /** Strong validator (RFC 9110, section 8.8.3). */
  get etag(): string {
    return (this.#etag ??= `"${new Bun.CryptoHasher("sha256").update(this.text).digest("base64url").slice(0, 27)}"`);
  }
}

// What walks a value calls itself for each level, and the engine takes seconds to notice that its stack is full.
const DEEPEST = 1000;

/**
 * Parses JSON text from outside: of models, platforms, hooks, and the arguments of calls. Integers outside the safe range
 * become strings with their exact digits, and half of a surrogate pair becomes U+FFFD: strict readers refuse it.
 * Throws `SyntaxError` as `JSON.parse` does, also for more than 1,000 levels.
 */
export function parseJson(text: string): Json {
  const value = parseJsonPiece(text);
  return mayHoldHalves(text) ? wellFormed(value) : value;
}

/** The same for a piece of a stream, whose last half of a surrogate pair may belong to the next piece. */
export function parseJsonPiece(text: string): Json {
  requireShallow(text);
  return parseShallowJson(text);
}

/** The same for a text whose depth is known. */
export function parseShallowJson(text: string): Json {
  // Without a long run of digits no number can lose precision. A reviver would take ten times as long.
  return JSON.parse(/\d{16}/.test(text) ? quoteLongIntegers(text) : text);
}

/** The same with all numbers as doubles, for platforms that have no others. */
export function parsePlainJson(text: string): Json {
  requireShallow(text);
  const value: Json = JSON.parse(text);
  return mayHoldHalves(text) ? wellFormed(value) : value;
}

/**
 * The object in a JSON text from outside. Undefined if it is not one, or contains the NUL character, which databases do not
 * keep in JSON. Otherwise as `parseJson`.
 */
export function jsonObjectIn(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    return isObject(value) && !hasNul(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a text may hold half of a surrogate pair, as it is or as an escape. */
export function mayHoldHalves(text: string): boolean {
  return SURROGATE_ESCAPE.test(text) || !text.isWellFormed();
}

const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

/** The value with U+FFFD for each half of a surrogate pair, in keys as well. */
export function wellFormed<T>(value: T): T;
export function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map((each: unknown) => wellFormed(each));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key.toWellFormed(), wellFormed(each)]),
  );
}

function requireShallow(text: string): void {
  if (text.length < 2 * DEEPEST) return;
  if (isDeeper(text, DEEPEST)) throw new SyntaxError("The JSON is nested too deeply.");
}

export function isObject(value: unknown): value is { [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value contains the NUL character, at which databases and C libraries cut strings. */
export function hasNul(value: unknown): boolean {
  if (typeof value === "string") return value.includes("\0");
  if (Array.isArray(value)) return value.some(hasNul);
  return isObject(value) && Object.entries(value).some(([key, inner]) => hasNul(key) || hasNul(inner));
}

/** The fields that are not undefined. */
export function present<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const kept: Partial<T> = {};
  for (const name of Object.keys(fields) as (keyof T)[])
    if (fields[name] !== undefined) kept[name] = fields[name];
  // Without every value that the type excludes.
  return kept as { [K in keyof T]?: Exclude<T[K], undefined> };
}
