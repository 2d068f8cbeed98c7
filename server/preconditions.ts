// Preconditions (RFC 9110, section 13): `If-Match` and `If-None-Match`. The representation of a record is what GET answers at its
// address, and its `ETag` is a hash of that. Records without a GET of their own have no tag that could match.
import { JsonText } from "../src/base";
import { preconditionFailed, RuntimeError } from "../src/errors";
import type { Turns } from "../src/turns";
import { matchesTag } from "./answer";
import type { Incoming } from "./front";
import { operations, type ServedOperation } from "./operations";
import type { AnyCall } from "./operations/operation";

/** The operations that read what is at a path. */
const READS = new Map(
  operations
    .filter((each): each is ServedOperation => each.method === "GET" && each.handle !== undefined)
    .map((each) => [each.path, each] as const),
);

/** Whether a request has conditions for what it does. */
export function hasPrecondition({ headers }: Request): boolean {
  return headers.has("if-match") || headers.has("if-none-match");
}

/**
 * Runs an operation that changes something, unless a precondition of its request is false: then throws
 * `precondition_failed`. Requests with one at the same address take turns, at all servers: otherwise two could pass with the same
 * tag. Throws what `Turns` throws.
 */
export async function underPreconditions(
  turns: Turns,
  { request, params }: Incoming,
  operation: ServedOperation,
  call: AnyCall,
  run: () => unknown,
): Promise<unknown> {
  const { headers } = request;
  const read = operation.current ?? READS.get(operation.path)?.handle;
  if (read === undefined) {
    requireTrue(headers, undefined);
    return run();
  }
  // Two that differ in upper and lower case may be one, as keys of secrets are; otherwise it only means waiting.
  const address = recordAddress(operation, params).toLowerCase();
  const record = JSON.stringify([call.principal.projectId, address]);
  return turns.during(record, async (check) => {
    const tag = await tagOf(() => read(call));
    // Of a missing record, the operation itself says so (section 13.2.1), unless it would create it.
    if (tag !== undefined || !READS.has(operation.path)) requireTrue(headers, tag);
    await check();
    return run();
  });
}

/** The address of a record in its project, however it is spelled: with the project or without. */
export function recordAddress({ path }: ServedOperation, params: Incoming["params"]): string {
  return path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(params[name] ?? ""));
}

/** `tag`: of what is at the address; undefined if there is nothing. Throws `precondition_failed`. */
function requireTrue(headers: Headers, tag: string | undefined): void {
  const [match, noneMatch] = [headers.get("if-match"), headers.get("if-none-match")];
  if (match !== null && (tag === undefined || !matchesTag(match, tag, false)))
    throw preconditionFailed("The record is not the one of If-Match. Get it again, and repeat the change.");
  if (noneMatch !== null && tag !== undefined && matchesTag(noneMatch, tag, true))
    throw preconditionFailed("The record exists or has not changed (If-None-Match). Nothing was done.");
}

async function tagOf(read: () => unknown): Promise<string | undefined> {
  try {
    const value = await read();
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
