// The addresses of the API description. Its texts, its examples and the plugin are loaded with the first request: they take
// 2 MB of memory, and most servers are never asked for it.
import { JsonText } from "../src/base";
import { taggedAnswer } from "./answer";
import type { Front, Route } from "./front";
import { requestUrl } from "./request-url";

const ADDRESSES = ["/openapi.json", "/v1/swagger"];

export function descriptionRoutes({ runtime: { core } }: Front): Route[] {
  // The public address is known once the server listens, and may change with the port.
  const texts = new Map<string, Promise<JsonText>>();
  const textAt = (url: string): Promise<JsonText> => {
    const text = texts.get(url) ?? describe(url);
    texts.set(url, text);
    return text;
  };
  const answer = async (request: Request): Promise<Response> => {
    const isBrowser = request.headers.get("accept")?.includes("text/html") === true;
    // Relative, so that it works below the path prefix of a proxy.
    if (isBrowser && requestUrl(request).pathname === "/v1/swagger")
      return new Response(null, { status: 303, headers: { location: "swagger/ui" } });
    return taggedAnswer(request, await textAt(core.publicUrl()));
  };
  return ADDRESSES.map((path) => ({ method: "GET", path, answer: ({ request }) => answer(request) }));
}

async function describe(url: string): Promise<JsonText> {
  const { descriptionText } = await import("./openapi");
  return new JsonText(await descriptionText(url));
}
