// JSON pointers (RFC 6901), as fragments of references.
import { isObject } from "../base";

/** What a pointer leads to; undefined if it leads nowhere. */
export function pointed(from: unknown, pointer: string): unknown {
  return pointer
    .split("/")
    .slice(1)
    .reduce<unknown>((inner, step) => {
      const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
      if (Array.isArray(inner)) return /^\d{1,9}$/.test(key) ? inner[Number(key)] : undefined;
      return isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined;
    }, from);
}

/** A key as a step of a pointer. */
export function escaped(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** A pointer as a reference within the document. */
export function referenceTo(pointer: string): string {
  return `#${encodeURI(pointer).replaceAll("#", "%23")}`;
}

/** What a reference within the document leads to, such as `#/$defs/Node`. */
export function referred(root: unknown, reference: unknown): unknown {
  if (typeof reference !== "string" || !reference.startsWith("#")) return undefined;
  const pointer = decoded(reference.slice(1));
  return pointer === undefined ? undefined : pointed(root, pointer);
}

export function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
