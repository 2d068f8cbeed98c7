// The document as it is published: made when it is first asked for, handed through the swagger plugin.
import { swagger } from "@elysiajs/swagger";
import { Elysia } from "elysia";
import { JsonText } from "../../src/base";
import { contractOperations } from "../operations/all";
import { documentOf } from "./document";

const published = new Map<string, Promise<JsonText>>();

/** The document of a server that browsers reach at `publicUrl`. Made once per address. */
export function publishedDocument(publicUrl: string): Promise<JsonText> {
  let document = published.get(publicUrl);
  if (document === undefined) {
    document = throughPlugin(documentOf(contractOperations, publicUrl));
    published.set(publicUrl, document);
  }
  return document;
}

// The plugin stands in an application of its own, never on the network: its page loads scripts from elsewhere, and
// its routes know neither request ids nor `ETag`.
async function throughPlugin(documentation: object): Promise<JsonText> {
  const plugin = swagger({ specPath: "/openapi.json", exclude: [/.*/], documentation });
  const app = new Elysia().use(plugin);
  const answer = await app.handle(new Request("http://localhost/openapi.json"));
  return new JsonText(await answer.text());
}
