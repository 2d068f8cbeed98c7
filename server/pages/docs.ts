// The page of the API description. All its files come from this server.
import { routeNotFound } from "../../src/errors";
import { DOCS_FILES, gzippedFile } from "./docs-files";
import { policyOf } from "./html";

const HTML =
  `<!doctype html><html lang="en"><head><meta charset="utf-8">` +
  `<meta name="viewport" content="width=device-width, initial-scale=1"><title>API description</title>` +
  // Without an icon in the page a browser requests /favicon.ico.
  `<link rel="icon" href="data:,"><link rel="stylesheet" href="ui/swagger-ui.css">` +
  `<link rel="stylesheet" href="ui/page.css"></head>` +
  `<body><noscript><p>This page needs JavaScript. The description itself is at /openapi.json.</p></noscript>` +
  // Relative, so that they work below the path prefix of a proxy.
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

/** Starts swagger-ui in the page, without an external validator and with the description of this server only. */
const DOCS_SCRIPT = `"use strict";
// swagger-ui has dark colours, but leaves it to the page to choose them.
const dark = matchMedia("(prefers-color-scheme: dark)");
const choose = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
choose();
dark.addEventListener("change", choose);
window.addEventListener("load", () => {
  SwaggerUIBundle({
    url: new URL("../../openapi.json", document.baseURI).href,
    dom_id: "#swagger-ui",
    validatorUrl: null,
    queryConfigEnabled: false,
    docExpansion: "list",
    defaultModelsExpandDepth: 0,
    requestSnippetsEnabled: false,
  });
});
`;

// Swagger-ui puts the name and the description of a group into columns, and parameters into tables, also on phones.
const DOCS_STYLE = `
@media (max-width: 640px) {
  .swagger-ui .wrapper { padding: 0 12px; }
  .swagger-ui .info { margin: 24px 0; }
  .swagger-ui .info .title { font-size: 26px; }
  .swagger-ui .opblock-tag { flex-wrap: wrap; }
  .swagger-ui .opblock-tag small { flex: 1 1 100%; order: 3; padding: 4px 0 0; }
  /* No answer of ours has links; the column alone is wider than the screen. */
  .swagger-ui .response-col_links { display: none; }
}
`;

/** GET /v1/swagger/ui */
export function openDocs(): Response {
  return file(HTML, "text/html; charset=utf-8", { "content-security-policy": POLICY });
}

/** GET /v1/swagger/ui/{file} */
export async function docsFile(name: string): Promise<Response> {
  if (name === "start.js") return file(DOCS_SCRIPT, "text/javascript; charset=utf-8");
  if (name === "page.css") return file(DOCS_STYLE, "text/css; charset=utf-8");
  const known = (["swagger-ui-bundle.js", "swagger-ui.css"] as const).find((one) => one === name);
  if (known === undefined) throw routeNotFound("This file does not exist.");
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
