// Preconditions (RFC 9110, section 13): `If-Match` and `If-None-Match`. The representation of a record is what GET answers at its
// address, and its `ETag` is a hash of that. Records without a GET of their own have no tag that could match.
import { Basis, Outdated } from "../src/audit";
import { JsonText } from "../src/base";
import { preconditionFailed, RuntimeError, unavailable } from "../src/errors";
import { matchesTag } from "./answer";
import type { Front, Incoming } from "./front";
import { operations, type ServedOperation } from "./operations";
import type { AnyCall } from "./operations/operation";

/** The operations that read what is at a path. */
const READS = new Map(
  operations
    .filter((each): each is ServedOperation => each.method === "GET" && each.handle !== undefined)
    .map((each) => [each.path, each] as const),
);

/** Each time, another change of the same project was made in the few milliseconds between the reading and the change. */
const ATTEMPTS = 20;

/** Whether a request has conditions for what it does. */
export function hasPrecondition({ headers }: Request): boolean {
  return headers.has("if-match") || headers.has("if-none-match");
}

/**
 * Runs an operation that changes something, unless a precondition of its request is false: then throws
 * `precondition_failed`. Requests with one at the same address take turns, at all servers: otherwise two could pass with the same
 * tag. Changes without one take no turns: `run` gets what it rests on, and is called again if another change was made between
 * the reading and its own. Throws what `Turns` throws.
 */
export async function underPreconditions(
  { turns, runtime }: Pick<Front, "turns" | "runtime">,
  { request, params }: Incoming,
  operation: ServedOperation,
  call: AnyCall,
  run: (basis: Basis | undefined) => unknown,
): Promise<unknown> {
  const { headers } = request;
  const read = operation.current ?? READS.get(operation.path)?.handle;
  if (read === undefined) {
    requireTrue(headers, undefined);
    return run(undefined);
  }
  // Two that differ in upper and lower case may be one, as keys of secrets are; otherwise it only means waiting.
  const address = recordAddress(operation, params).toLowerCase();
  const { projectId } = call.principal;
  const record = JSON.stringify([projectId, address]);
  return turns.during(record, async (check) => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const basis = await Basis.of(runtime.core.store, [projectId, params["project_id"] ?? projectId]);
      const tag = await tagOf(() => read(call));
      // Of a missing record, the operation itself says so (section 13.2.1), unless it would create it.
      if (tag !== undefined || !READS.has(operation.path)) requireTrue(headers, tag);
      await check();
      try {
        return await run(basis);
      } catch (error) {
        if (!(error instanceof Outdated)) throw error;
      }
    }
    throw unavailable("Other changes of this project are in progress. Send the request again.");
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
