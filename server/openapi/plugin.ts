// The swagger plugin serves the document at both of its addresses.
import { swagger } from "@elysiajs/swagger";
import { Elysia } from "elysia";
import { JsonText } from "../../src/base";
import { taggedAnswer } from "../answer";
import { type Front, Incoming, respond } from "../front";
import { contractOperations } from "../operations";
import { requestUrl } from "../request-url";
import { INFO } from "./info";

const ADDRESSES = ["/openapi.json", "/v1/swagger"];

/**
 * The plugin with the document of the contract. It also has a page at `page`, which loads scripts from other hosts: a
 * later route at that path must replace it.
 */
export function descriptionPlugin(front: Front, page: string): Elysia {
  const { core } = front.runtime;
  // The plugin reads it with each request, but only the first one needs its content: then the text is kept. So what makes it
  // is loaded by the first request, and a server without one has 1.5 MB less.
  const documentation: { [member: string]: unknown } = { info: INFO };
  const texts = new Map<string, JsonText>();
  const fill = async (): Promise<void> => {
    const { documentOf } = await import("./document");
    const url = core.publicUrl();
    if (!texts.has(url)) Object.assign(documentation, documentOf(contractOperations, url));
  };
  const answerWith = (request: Request, document: unknown): Response => {
    const url = core.publicUrl();
    const text = texts.get(url) ?? new JsonText(JSON.stringify(document));
    texts.set(url, text);
    for (const member of Object.keys(documentation)) delete documentation[member];
    const isBrowser = request.headers.get("accept")?.includes("text/html") === true;
    if (!isBrowser || requestUrl(request).pathname !== "/v1/swagger") return taggedAnswer(request, text);
    // Relative, so that it works below the path prefix of a proxy.
    return new Response(null, { status: 303, headers: { location: "swagger/ui" } });
  };
  const app = new Elysia()
    // Elysia waits only for callbacks that are written as async.
    .onBeforeHandle(async () => fill())
    .mapResponse(({ request, responseValue }) =>
      respond(front, new Incoming(front, request, {}), {
        path: requestUrl(request).pathname,
        answer: () => answerWith(request, responseValue),
      }),
    );
  for (const specPath of ADDRESSES)
    app.use(swagger({ path: page, specPath, exclude: [/.*/], documentation }));
  return app;
}
