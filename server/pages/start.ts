// The start page, for people who open the address of the server in a browser.
import { version } from "../../package.json";
import { htmlPage } from "./html";

/** GET / */
export function startPage(): Response {
  // Relative, so that the links work below the path prefix of a proxy.
  const links = [
    ["docs", "Documentation", "for operators, developers and agents"],
    ["v1/swagger/ui", "API description", "every operation, to read and to try"],
    ["openapi.json", "openapi.json", "the same for programs"],
    ["llms.txt", "llms.txt", "the same for language models, with the tools"],
    ["v1/health", "Health", "whether the service can work"],
  ].map(([path, name, meaning]) => `<li><a href="${path}">${name}</a>: ${meaning}</li>`);
  return htmlPage(
    200,
    "Agent runtime",
    "<p>This server runs tools on other platforms for people who consented to it, and keeps their tokens.</p>" +
      `<ul>${links.join("")}</ul>` +
      `<p>Version ${version}. An administrator finds the next step with <code>runtime status</code>.</p>`,
  );
}

/** GET /favicon.ico: browsers ask for it with every page. There is none, which is not an error. */
export function noIcon(): Response {
  return new Response(null, { status: 204, headers: { "cache-control": "public, max-age=86400" } });
}
