// Errors below `/v1` also have the member that clients of language models read: such a client may call any address there.
import type { RuntimeError } from "../src/errors";
import { errorBody } from "../src/llm";

/** What the error answers of a path have in addition. */
export function errorMembersOf(path: string): ((error: RuntimeError) => object) | undefined {
  return path.startsWith("/v1/") ? modelError : undefined;
}

function modelError(error: RuntimeError): object {
  return { error: errorBody(error) };
}
