// A client of the conformance suite that is a whole deployment: `bun worker-oauth-client.ts ADDRESS`. An administrator makes the
// suite's server a worker, and a user consents and runs its tools.
import { isObject } from "../../../src/base";
import { api, at } from "../../support/api";
import { Browser, offersConfirmation } from "../../support/browser";
import { startSite } from "../../support/site";

const address = process.argv.at(-1) ?? "";
const context: unknown = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}");
const { client_id, client_secret } = isObject(context) ? context : {};

const MOST_CONSENTS = 3;
const site = await startSite();
const admin = api(site.url, await site.key("admin"));
const agent = api(site.url, await site.key("run"));

/** A person who agrees to everything: at the authorization server, and that it is them. */
async function consent(url: unknown): Promise<void> {
  const browser = new Browser();
  let page = await browser.open(String(url));
  for (let step = 0; step < 10; step++) {
    const location = page.headers.get("location");
    if (location === null) break;
    page = await browser.open(new URL(location, page.url).href);
  }
  if (await offersConfirmation(page)) await browser.answer(page, site.url, "yes");
  else
    console.error(
      "no consent:",
      page.status,
      (await page.text()).replaceAll(/<[^>]*>|\s+/g, " ").slice(0, 500),
    );
}

/** What the administrator needs to read the catalog. */
async function list(): Promise<string[]> {
  for (let round = 0; round < MOST_CONSENTS; round++) {
    const { body, text } = await admin.get("/v1/workers/suite/authorize?user_id=alice");
    if (at(body, "status") !== "pending") break;
    console.error("authorize:", text.slice(0, 500));
    await consent(at(body, "url"));
  }
  console.error("refresh:", (await admin.post("/v1/workers/suite/refresh", {})).text.slice(0, 2000));
  const { body, text } = await admin.get("/v1/workers/suite/tools");
  console.error("tools:", text.slice(0, 300));
  const items: unknown = at(body, "items");
  return Array.isArray(items) ? items.map((item: unknown) => String(at(item, "fully_qualified_name"))) : [];
}

async function run(tool: string): Promise<void> {
  const request = { tool_name: tool.split("@")[0], user_id: "alice" };
  for (let round = 0; round < MOST_CONSENTS; round++) {
    const { status, body, text } = await agent.post("/v1/tools/execute", { ...request, input: {} });
    console.error("run:", status, text.slice(0, 500));
    const asked: unknown = at(body, "output.authorization.url");
    if (asked !== undefined) await consent(asked);
    else if (status === 403)
      await consent(at((await agent.post("/v1/tools/authorize", request)).body, "url"));
    else return;
  }
}

const oauth2 = typeof client_id === "string" ? { client_id, client_secret } : { register: true };
const mcp = { uri: address, timeout: 10, retry: 0, oauth2 };
const made = await admin.post("/v1/workers", { id: "suite", mcp });
console.error("worker:", made.status, made.text.slice(0, 1500));
let tools = await list();
const { body: record } = await admin.get("/v1/workers/suite");
const [, issuer] = /now names the issuer "([^"]+)"/.exec(String(at(record, "mcp.oauth2.problem"))) ?? [];
if (issuer !== undefined) {
  // The server names another authorization server now: the administrator has read that, and registers there.
  const patched = await admin.patch("/v1/workers/suite", { mcp: { oauth2: { issuer, register: true } } });
  console.error("patch:", patched.status, patched.text.slice(0, 1500));
  tools = await list();
}
for (const tool of tools) await run(tool);
await site[Symbol.asyncDispose]();
process.exit(0);
