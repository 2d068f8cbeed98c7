// The API description, as the swagger plugin serves it.
import { swagger } from "@elysiajs/swagger";
import { Elysia } from "elysia";
import { contractOperations } from "../operations";
import { documentOf } from "./document";
import { INFO } from "./info";

const SPEC_PATH = "/openapi.json";

/** The document of the contract as JSON. The plugin gets nothing but the document: it finds no route of its own. */
export async function descriptionText(publicUrl: string): Promise<string> {
  const documentation = { info: INFO, ...documentOf(contractOperations, publicUrl) };
  const app = new Elysia().use(swagger({ specPath: SPEC_PATH, exclude: [/.*/], documentation }));
  const answer = await app.handle(new Request(`http://localhost${SPEC_PATH}`));
  return answer.text();
}
