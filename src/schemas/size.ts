// Bounds of a schema from outside, checked before anything walks it by calling itself.
import { isObject } from "../base";

const MOST_BYTES = 256 * 1024;
const DEEPEST = 64;

const TOO_LARGE = `The schema is larger than ${MOST_BYTES / 1024} KB.`;
const TOO_DEEP = `The schema is nested more than ${DEEPEST} levels deep.`;
const NOT_JSON = "The schema is not JSON.";

/** A copy of the schema that consists only of JSON, or why it cannot be used. */
export function boundedCopy(schema: unknown): { copy: unknown } | { reason: string } {
  const reason = faultOf(schema);
  if (reason !== undefined) return { reason };
  let text: string | undefined;
  try {
    text = JSON.stringify(schema);
  } catch {
    // A BigInt, or something that cannot be converted.
  }
  if (text === undefined) return { reason: NOT_JSON };
  if (Buffer.byteLength(text) > MOST_BYTES) return { reason: TOO_LARGE };
  return { copy: JSON.parse(text) };
}

function faultOf(schema: unknown): string | undefined {
  const open = [{ value: schema, depth: 1 }];
  let least = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    least += typeof value === "string" ? value.length : 1;
    if (least > MOST_BYTES) return TOO_LARGE;
    if (!Array.isArray(value) && !isObject(value)) continue;
    if (depth > DEEPEST) return TOO_DEEP;
    if (Array.isArray(value) && least + value.length > MOST_BYTES) return TOO_LARGE;
    for (const [key, inner] of Object.entries(value)) {
      least += Array.isArray(value) ? 1 : key.length + 1;
      if (least > MOST_BYTES) return TOO_LARGE;
      open.push({ value: inner, depth: depth + 1 });
    }
  }
  return undefined;
}
