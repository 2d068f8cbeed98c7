// The description of the API, for programs and for people.
import type { Runtime } from "../../src/runtime";
import { taggedAnswer } from "../answer";

/** GET /openapi.json */
export async function openDescription(runtime: Runtime, request: Request): Promise<Response> {
  const { publishedDocument } = await import("../openapi");
  return taggedAnswer(request, await publishedDocument(runtime.core.publicUrl()));
}
