// Hashes of definitions: SHA-256 of their JSON with sorted names, so that the order in which a worker lists things does not
// count.
import { isObject } from "../base";
import { hashOf } from "../crypto";

/** JSON with the names of each object sorted, without undefined values. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value));
}

export function hashOfJson(value: unknown): string {
  return hashOf(canonicalJson(value));
}

// Definitions are at most 64 levels deep.
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  entries.sort(([left], [right]) => (left < right ? -1 : 1));
  // A null prototype: a member may be called `__proto__`.
  const object: Record<string, unknown> = Object.create(null);
  for (const [name, inner] of entries) object[name] = sorted(inner);
  return object;
}
