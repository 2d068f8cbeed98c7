// Discovery for programs and models: the API catalog (RFC 9727) and llms.txt.
import type { Runtime } from "../../src/runtime";
import type { CatalogSummary } from "../../src/tools";
import { FORMATS } from "../../src/tools/schema";

const KEY_NOTE = "(needs an API key)";

const LINKSET = "application/linkset+json";
const CATALOG_PROFILE = "https://www.rfc-editor.org/info/rfc9727";

/** GET /.well-known/api-catalog: a linkset (RFC 9264) of the API and its descriptions. */
export function apiCatalog({ core }: Runtime): Response {
  const base = core.publicUrl();
  const self = `${base}/.well-known/api-catalog`;
  const item = { href: `${base}/v1`, type: LINKSET };
  return linksetAnswer([{ anchor: self, item: [item] }, descriptionsOf(base)], {
    "content-type": `${LINKSET}; profile="${CATALOG_PROFILE}"`,
    link: `<${self}>; rel="api-catalog"`,
  });
}

/** GET /v1: what describes the API (RFC 8631). The catalog names this address. */
export function apiLinks({ core }: Runtime): Response {
  const base = core.publicUrl();
  return linksetAnswer([descriptionsOf(base)], {
    "content-type": LINKSET,
    link: `<${base}/openapi.json>; rel="service-desc"`,
  });
}

function descriptionsOf(base: string): object {
  return {
    anchor: `${base}/v1`,
    "service-desc": [{ href: `${base}/openapi.json`, type: "application/json" }],
    "service-doc": [
      { href: `${base}/v1/swagger/ui`, type: "text/html" },
      { href: `${base}/llms.txt`, type: "text/plain" },
    ],
    status: [{ href: `${base}/v1/health`, type: "application/json" }],
  };
}

function linksetAnswer(linkset: readonly object[], headers: Record<string, string>): Response {
  return new Response(JSON.stringify({ linkset }), { headers: { "cache-control": "no-cache", ...headers } });
}

/** GET /llms.txt */
export function llmsText({ core, tools }: Runtime): Response {
  return new Response(llms(core.publicUrl(), tools.summary()), {
    headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-cache" },
  });
}

// Below a heading of the second level the form allows links only (https://llmstxt.org); prose belongs before the first.
function llms(base: string, catalogs: readonly CatalogSummary[]): string {
  const lines = [
    "# Agent runtime",
    "",
    "> Runs tools on other platforms for people who consented to it. Tokens of those platforms stay on this server.",
    "",
    `All requests go to ${base} and carry \`Authorization: Bearer <API key>\`. With an API key every call names the \`user_id\` it acts for. Links that need a key say so.`,
    "",
    "How to run a tool:",
    "",
    "1. `POST /v1/tools/authorize` with `tool_name` and `user_id`. With status `completed`, go on; with `pending`, let the user open `url`.",
    "2. `GET /v1/auth/status?id=…&wait=45` until the status is `completed`.",
    "3. `POST /v1/tools/execute` with `tool_name`, `user_id` and `input`. A failed tool answers 200 with `success: false`; `output.error` says what to do.",
    "",
    "Toolkits:",
    "",
    ...catalogs.map(({ toolkit }) => `- ${toolkit.name}: ${oneLine(toolkit.description)}`),
    "",
    "## API",
    "",
    `- [OpenAPI description](${base}/openapi.json): every operation, its records and its errors`,
    `- [API documentation](${base}/v1/swagger/ui): the same as a page`,
    `- [Documentation](${base}/docs): pages for operators, developers and agents; ${base}/docs/agents.md is for agents`,
    `- [Tools as function definitions](${base}/v1/formatted_tools): for models; \`format\` takes ${FORMATS.join(", ")} ${KEY_NOTE}`,
    `- [Health](${base}/v1/health): whether the service can work`,
    `- [API catalog](${base}/.well-known/api-catalog): these links for programs`,
  ];
  for (const { toolkit, tools } of catalogs) {
    const current = tools.filter(({ replacement }) => replacement === undefined);
    lines.push("", `## ${toolkit.name} tools`, "", ...current.map((tool) => line(base, tool)));
  }
  const deprecated = catalogs.flatMap(({ tools }) =>
    tools.filter(({ replacement }) => replacement !== undefined),
  );
  if (deprecated.length > 0) lines.push("", "## Optional", "", ...deprecated.map((tool) => line(base, tool)));
  return `${lines.join("\n")}\n`;
}

type ToolSummary = CatalogSummary["tools"][number];

function line(base: string, { name, description, replacement }: ToolSummary): string {
  const instead = replacement === undefined ? "" : ` Deprecated. Use ${replacement}.`;
  return `- [${name}](${base}/v1/tools/${name}): ${firstSentence(description)}${instead} ${KEY_NOTE}`;
}

function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/.exec(oneLine(text))?.[0] ?? oneLine(text);
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
