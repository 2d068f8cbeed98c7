// Discovery for programs and models: the API catalog (RFC 9727) and llms.txt.
import type { Runtime } from "../../src/runtime";
import type { CatalogSummary } from "../../src/tools";

const CATALOG_PROFILE = "https://www.rfc-editor.org/info/rfc9727";

/** GET /.well-known/api-catalog: a linkset (RFC 9264) of the API and its descriptions. */
export function apiCatalog({ core }: Runtime): Response {
  const base = core.publicUrl();
  const self = `${base}/.well-known/api-catalog`;
  const linkset = [
    { anchor: self, item: [{ href: `${base}/v1` }] },
    {
      anchor: `${base}/v1`,
      "service-desc": [{ href: `${base}/openapi.json`, type: "application/json" }],
      "service-doc": [
        { href: `${base}/v1/swagger/ui`, type: "text/html" },
        { href: `${base}/llms.txt`, type: "text/plain" },
      ],
      status: [{ href: `${base}/v1/health`, type: "application/json" }],
    },
  ];
  return new Response(JSON.stringify({ linkset }), {
    headers: {
      "content-type": `application/linkset+json; profile="${CATALOG_PROFILE}"`,
      "cache-control": "no-cache",
      link: `<${self}>; rel="api-catalog"`,
    },
  });
}

/** GET /llms.txt */
export function llmsText({ core, tools }: Runtime): Response {
  return new Response(llms(core.publicUrl(), tools.summary()), {
    headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-cache" },
  });
}

function llms(base: string, catalogs: readonly CatalogSummary[]): string {
  const lines = [
    "# Agent runtime",
    "",
    "> Runs tools on other platforms for people who consented to it. Tokens of those platforms stay on this server.",
    "",
    `All requests go to ${base} and carry \`Authorization: Bearer <API key>\`. With an API key every call names the \`user_id\` it acts for.`,
    "",
    "How to run a tool:",
    "",
    "1. `POST /v1/tools/authorize` with `tool_name` and `user_id`. With status `completed`, go on; with `pending`, let the user open `url`.",
    "2. `GET /v1/auth/status?id=…&wait=45` until the status is `completed`.",
    "3. `POST /v1/tools/execute` with `tool_name`, `user_id` and `input`. A failed tool answers 200 with `success: false`; `output.error` says what to do.",
    "",
    "## API",
    "",
    `- [OpenAPI description](${base}/openapi.json): every operation, its records and its errors`,
    `- [API documentation](${base}/v1/swagger/ui): the same as a page`,
    `- [Tools as function definitions](${base}/v1/formatted_tools): for models; \`format\` takes openai, anthropic, gemini, mcp or arcade`,
    `- [Health](${base}/v1/health): whether the service can work`,
    `- [API catalog](${base}/.well-known/api-catalog): these links for programs`,
  ];
  for (const { toolkit, tools } of catalogs) {
    lines.push("", `## ${toolkit.name} tools`, "", oneLine(toolkit.description), "");
    lines.push(
      ...tools.filter(({ replacement }) => replacement === undefined).map((tool) => line(base, tool)),
    );
  }
  const deprecated = catalogs.flatMap(({ tools }) =>
    tools.filter(({ replacement }) => replacement !== undefined),
  );
  if (deprecated.length > 0) {
    lines.push("", "## Optional", "", "Deprecated tools, which still work:", "");
    lines.push(...deprecated.map((tool) => `${line(base, tool)} Use ${tool.replacement ?? ""}.`));
  }
  return `${lines.join("\n")}\n`;
}

function line(base: string, { name, description }: CatalogSummary["tools"][number]): string {
  return `- [${name}](${base}/v1/tools/${name}): ${firstSentence(description)}`;
}

function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/.exec(oneLine(text))?.[0] ?? oneLine(text);
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
