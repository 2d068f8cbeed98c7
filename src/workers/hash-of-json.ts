// Hashes of definitions: SHA-256 of their JSON with sorted names, so that the order in which a worker lists things does not
// count.
import { canonicalJson } from "../base";
import { hashOf } from "../crypto";

export function hashOfJson(value: unknown): string {
  return hashOf(canonicalJson(value));
}
