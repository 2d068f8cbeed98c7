// Preconditions (RFC 9110, section 13): `If-Match` and `If-None-Match`. The representation of a record is what GET answers at its
// address, and its `ETag` is a hash of that. Records without a GET of their own have no tag that could match.
import { JsonText } from "../src/base";
import { preconditionFailed, RuntimeError } from "../src/errors";
import { matchesTag } from "./answer";
import { operations, type ServedOperation } from "./operations";
import type { AnyCall } from "./operations/operation";

/** The operations that read what is at a path. */
const READS = new Map(
  operations
    .filter((each): each is ServedOperation => each.method === "GET" && each.handle !== undefined)
    .map((each) => [each.path, each] as const),
);

/** Requests with a precondition that wait for each other, by address. Without it, two could pass with the same tag. */
const turns = new Map<string, Promise<unknown>>();

/** Whether a request has conditions for what it does. */
export function hasPrecondition({ headers }: Request): boolean {
  return headers.has("if-match") || headers.has("if-none-match");
}

/**
 * Runs an operation that changes something, unless a precondition of its request is false: then throws
 * `precondition_failed`. Requests of one process at the same address take turns.
 */
export async function underPreconditions(
  { headers, url }: Request,
  operation: ServedOperation,
  call: AnyCall,
  run: () => unknown,
): Promise<unknown> {
  const key = `${call.principal.projectId} ${url}`;
  const before = turns.get(key);
  const turn = (async () => {
    await before?.catch(() => undefined);
    const tag = await currentTag(operation, call);
    // Of a missing record, the operation itself says so (section 13.2.1), unless it would create it.
    if (tag === undefined && READS.has(operation.path)) return run();
    const [match, noneMatch] = [headers.get("if-match"), headers.get("if-none-match")];
    if (match !== null && (tag === undefined || !matchesTag(match, tag, false)))
      throw preconditionFailed("The record is not the one of If-Match. Get it again, and repeat the change.");
    if (noneMatch !== null && tag !== undefined && matchesTag(noneMatch, tag, true))
      throw preconditionFailed("The record exists or has not changed (If-None-Match). Nothing was done.");
    return run();
  })();
  turns.set(key, turn);
  try {
    return await turn;
  } finally {
    if (turns.get(key) === turn) turns.delete(key);
  }
}

/** The tag of what is at the address; undefined if there is nothing. */
async function currentTag(operation: ServedOperation, call: AnyCall): Promise<string | undefined> {
  const read = operation.current ?? READS.get(operation.path)?.handle;
  if (read === undefined) return undefined;
  try {
    const value: unknown = await read(call);
    return value === undefined ? undefined : taggedText(value).etag;
  } catch (error) {
    if (error instanceof RuntimeError && error.status === 404) return undefined;
    throw error;
  }
}

/** The text of a record, with its tag. */
export function taggedText(value: unknown): JsonText {
  return value instanceof JsonText ? value : new JsonText(JSON.stringify(value));
}
