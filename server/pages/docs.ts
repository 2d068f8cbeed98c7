// The description of the API: as a document for programs, as a page for people. Everything comes from this server.
import { routeNotFound } from "../../src/errors";
import type { Runtime } from "../../src/runtime";
import { errorAnswer, taggedAnswer } from "../answer";
import { DOCS_SCRIPT } from "./docs-script";
import { policyOf } from "./html";

const HTML =
  `<!doctype html><html lang="en"><head><meta charset="utf-8">` +
  `<meta name="viewport" content="width=device-width, initial-scale=1"><title>API description</title>` +
  // Without an icon of its own a browser asks for /favicon.ico.
  `<link rel="icon" href="data:,"><link rel="stylesheet" href="ui/swagger-ui.css"></head>` +
  `<body><noscript><p>This page needs JavaScript. The description itself is at /openapi.json.</p></noscript>` +
  // Relative: stays below the prefix that a proxy in front may want.
  `<div id="swagger-ui"></div><script src="ui/swagger-ui-bundle.js"></script>` +
  `<script src="ui/start.js"></script></body></html>`;

const POLICY = policyOf({
  "script-src": ["'self'"],
  // swagger-ui styles elements from script.
  "style-src": ["'self'", "'unsafe-inline'"],
  "img-src": ["'self'", "data:"],
  "connect-src": ["'self'"],
  "form-action": ["'none'"],
});

/** GET /openapi.json */
export async function openDescription(runtime: Runtime, request: Request): Promise<Response> {
  const { publishedDocument } = await import("../openapi");
  return taggedAnswer(request, await publishedDocument(runtime.core.publicUrl()));
}

/** GET /v1/swagger/ui */
export function openDocs(): Response {
  return file(HTML, "text/html; charset=utf-8", { "content-security-policy": POLICY });
}

/** GET /v1/swagger/ui/{file} */
export async function docsFile(name: string): Promise<Response> {
  if (name === "start.js") return file(DOCS_SCRIPT, "text/javascript; charset=utf-8");
  const { DOCS_FILES, gzippedFile } = await import("./docs-files");
  const known = (["swagger-ui-bundle.js", "swagger-ui.css"] as const).find((one) => one === name);
  if (known === undefined) return errorAnswer(routeNotFound("there is no such file"));
  return file(await gzippedFile(known), DOCS_FILES[known].type, { "content-encoding": "gzip" });
}

function file(
  body: string | Uint8Array<ArrayBuffer>,
  type: string,
  headers: Record<string, string> = {},
): Response {
  return new Response(body, {
    headers: {
      "content-type": type,
      "cache-control": "no-cache",
      "cross-origin-resource-policy": "same-origin",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      ...headers,
    },
  });
}
