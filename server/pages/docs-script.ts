// The script of the documentation page: plain text that browsers run, below our content policy.

/** Starts swagger-ui in the page. Asks no outside validator, and shows this server's description only. */
export const DOCS_SCRIPT = `"use strict";
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
