// The address of a gateway in a browser: which requests get the page, who sees what on it, the consents that it starts, and how
// it says that clients are connected.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { webhookPeer } from "../hooks/webhook-peer";
import { type OpenIdSite, startOpenIdSite } from "../interop/oidc/site";
import { at } from "../support/api";
import type { Site } from "../support/site";
import { linkAccount, PEOPLE, type PersonBrowser, signInBrowser } from "./person";

/** What browsers send for a page. */
const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8";

let deployment: OpenIdSite;
let site: Site;
let alice: PersonBrowser;
beforeAll(async () => {
  deployment = await startOpenIdSite({ environment: PEOPLE });
  ({ site } = deployment);
  const operator = await site.runtime.identity.operator("default");
  const create = (gateway: Parameters<typeof site.runtime.gateways.create>[1]) =>
    site.runtime.gateways.create(operator, gateway);
  const description = "Reads <and> sends messages";
  await create({
    name: "Support",
    slug: "support",
    description,
    tool_filter: { allowed_tools: ["Chat.SendMessage", "Chat.WhoAmI"] },
  });
  await create({ name: "Keys", slug: "keys", auth_type: "arcade_header", description });
  await create({ name: "Off", slug: "off", status: "inactive" });
  await site.runtime.identity.createProject(operator, "other", "Other");
  const other = await site.runtime.identity.operator("other");
  await site.runtime.gateways.create(other, { name: "Theirs", slug: "theirs", auth_type: "arcade_header" });
  alice = await signInBrowser(site, "alice");
});
afterAll(() => deployment[Symbol.asyncDispose]());

const stranger = (slug: string, headers: Record<string, string> = {}) =>
  fetch(`${site.url}/mcp/${slug}`, { redirect: "manual", headers: { accept: BROWSER, ...headers } });
const pageOf = async (person: PersonBrowser, slug: string) =>
  (await person.open(`/mcp/${slug}`, { accept: BROWSER })).text();
const textOf = (html: string): string =>
  html
    .replaceAll(/<style>[^]*?<\/style>/g, "")
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll(/\s+/g, " ");

describe("a GET gets the page", () => {
  test.each([BROWSER, "text/html", "TEXT/HTML", "text/html, */*", "text/html;q=0.9, application/json;q=0.5"])(
    "with Accept: %s",
    async (accept) => {
      const response = await stranger("support", { accept });
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect((response.headers.get("vary") ?? "").split(", ")).toContain("accept");
    },
  );
});

describe("a GET is 405 as before", () => {
  test.each([
    undefined,
    "",
    "*/*",
    "text/*",
    "application/json",
    "text/html;q=0, */*",
    "application/json, text/html;q=0.5",
    "application/json, text/html",
    "*/*, text/html;q=0.5",
    "application/json, text/event-stream",
    "text/event-stream",
    "text/html, text/event-stream;q=0.1",
  ])("with Accept: %p", async (accept) => {
    // Without the header, the client of the test would send one.
    const response = await stranger("support", accept === undefined ? { accept: "*/*" } : { accept });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("OPTIONS, POST");
    expect(response.headers.get("vary") ?? "").toContain("accept");
    expect(await response.text()).toBe("");
  });

  test.each(["mcp-session-id", "mcp-protocol-version"])("with the header %s of a client", async (name) => {
    const response = await stranger("support", { accept: "text/html", [name]: "x" });
    expect(response.status).toBe(405);
  });

  test.each(["off", "unknown"])("at the gateway %s, so that it cannot be told from others", async (slug) => {
    const response = await stranger(slug);
    expect(response.status).toBe(405);
    expect(await response.text()).toBe("");
  });

  test("and HEAD too", async () => {
    const response = await fetch(`${site.url}/mcp/support`, { method: "HEAD", headers: { accept: BROWSER } });
    expect(response.status).toBe(405);
  });
});

test.each([
  ["a host of others", { host: "evil.example" }],
  ["a page of others", { origin: "https://evil.example" }],
])("a request of %s is refused", async (_name, headers) => {
  expect((await stranger("support", headers)).status).toBe(403);
});

test("the page has no script, cannot be framed and is not stored", async () => {
  for (const response of [await stranger("support"), await alice.open("/mcp/support", { accept: BROWSER })]) {
    const policy = response.headers.get("content-security-policy") ?? "";
    for (const rule of ["default-src 'none'", "form-action 'self'", "frame-ancestors 'none'"])
      expect(policy).toContain(rule);
    expect(policy).not.toContain("script");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(await response.text()).not.toMatch(/<script|\son\w+=|<(img|iframe|link|object)\b/i);
  }
});

describe("a stranger", () => {
  test("sees the name that the metadata of the gateway contains, how to connect, and where to sign in", async () => {
    const html = await (await stranger("support")).text();
    expect(html).toContain("<h1>Support</h1>");
    expect(html).toContain(`<dd>${site.url}/mcp/support</dd>`);
    expect(html).toContain('href="/sign-in?project=default&amp;to=%2Fmcp%2Fsupport"');
  });

  test("sees no name of a gateway without metadata", async () => {
    const html = await (await stranger("keys")).text();
    expect(html).toContain("<h1>An MCP gateway</h1>");
    expect(html).not.toContain("Keys");
  });

  test.each(["support", "keys"])("sees no description, tools, consents or project of %s", async (slug) => {
    const html = await (await stranger(slug)).text();
    for (const hidden of ["Reads", "Tools for you", "Your consents", "Team chat", "Project", "default<"])
      expect(html).not.toContain(hidden);
  });

  test("is also somebody who is signed in to another project", async () => {
    const elsewhere = await signInBrowser(site, "alice", "other");
    const html = await pageOf(elsewhere, "support");
    expect(html).not.toContain("Your consents");
    expect(await pageOf(alice, "theirs")).not.toContain("Theirs");
    expect(await pageOf(elsewhere, "theirs")).toContain("<h1>Theirs</h1>");
  });
});

describe("a signed-in person", () => {
  test("sees what it is, the number of tools, and the consents that are missing, in words", async () => {
    const html = await pageOf(alice, "support");
    const text = textOf(html);
    expect(html).toContain("<h1>Support</h1>");
    expect(html).toContain("<p>Reads &lt;and&gt; sends messages</p>");
    expect(text).toContain("Tools for you 2 tools of 1 toolkit You are alice");
    expect(text).toContain("Team chat (sandbox) Missing:");
    expect(text).toContain("Send messages as you chat:write");
    expect(text).toContain("Give consent at Team chat (sandbox)");
  });

  test("sees that nothing is missing after the consent", async () => {
    const operator = await site.runtime.identity.operator("default");
    const tool_filter = { allowed_tools: ["Chat.WhoAmI"] };
    await site.runtime.gateways.create(operator, { name: "Small", slug: "small", tool_filter });
    await linkAccount(site, "bob", "default", "Chat.WhoAmI");
    const bob = await signInBrowser(site, "bob");
    expect(textOf(await pageOf(bob, "small"))).toContain("Team chat (sandbox) Done: nothing is missing.");
    expect(textOf(await pageOf(bob, "support"))).toContain("Missing:");
  });

  test("starts the consent with a form, for exactly what is missing, and is brought back", async () => {
    const carol = await signInBrowser(site, "carol");
    const answer = await carol.send({ action: "consent", gateway: "support", provider: "slack" });
    expect(answer.status).toBe(200);
    const address = /^0; url=(\S+)$/.exec(answer.headers.get("refresh") ?? "")?.[1] ?? "";
    const own = site.runtime.core.publicUrl();
    expect(address).toStartWith(`${own}/authorize/`);
    const flows = await site.runtime.users.export(await site.runtime.identity.operator("default"), "carol");
    expect(flows.consents).toMatchObject([{ status: "pending", next_uri: `${own}/mcp/support` }]);
    expect(at(flows.consents, "0.needed")).toContain("chat:write");
  });

  test.each([
    ["a gateway of another project", { gateway: "theirs", provider: "slack" }],
    ["an inactive gateway", { gateway: "off", provider: "slack" }],
    ["a provider that no tool of it needs", { gateway: "support", provider: "google" }],
    ["nothing", {}],
  ])("cannot start one with %s", async (_name, fields) => {
    const dora = await signInBrowser(site, "dora");
    const answer = await dora.send({ action: "consent", ...fields });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/me?done=unknown"]);
    const exported = await site.runtime.users.export(await site.runtime.identity.operator("default"), "dora");
    expect(exported.consents).toEqual([]);
  });

  test("who is in none of the groups of the gateway sees no more than a stranger, and starts no consent", async () => {
    const operator = await site.runtime.identity.operator("default");
    const gateway = { name: "Staff", slug: "staff", description: "Internal", allowed_groups: ["staff"] };
    await site.runtime.gateways.create(operator, gateway);
    const erin = await signInBrowser(site, "erin");
    const html = await pageOf(erin, "staff");
    expect(textOf(html)).toContain(
      "Only members of certain groups may use it, and you, erin , are in none of them.",
    );
    for (const hidden of ["Internal", "Tools for you", "Your consents"]) expect(html).not.toContain(hidden);
    const answer = await erin.send({ action: "consent", gateway: "staff", provider: "slack" });
    expect(answer.headers.get("location")).toBe("/me?done=unknown");
  });

  test("sees only the tools that access hooks leave", async () => {
    using peer = await webhookPeer();
    peer.respond = ({ body }) =>
      body["user_id"] === "guarded" ? { deny: { Chat: { tools: { SendMessage: [{}] } } } } : {};
    const operator = await site.runtime.identity.operator("default");
    const access = { url: `${peer.url}/access`, phase: "before", failure_mode: "fail_closed" } as const;
    const { id } = await site.runtime.plugins.create(operator, {
      name: "guard",
      plugin_type: "webhook",
      status: "active",
      webhook_config: { endpoints: { access } },
    });
    try {
      const guarded = textOf(await pageOf(await signInBrowser(site, "guarded"), "support"));
      expect(guarded).toContain("Tools for you 1 tool of 1 toolkit");
      expect(guarded).not.toContain("chat:write");
      expect(textOf(await pageOf(alice, "support"))).toContain("Tools for you 2 tools of 1 toolkit");
    } finally {
      for (const hook of (await site.runtime.hooks.list(operator, {})).items)
        await site.runtime.hooks.delete(operator, hook.id);
      await site.runtime.plugins.delete(operator, id);
    }
  });
});

describe("connecting a client", () => {
  const linkTo = (html: string, start: string): string =>
    [...html.matchAll(/href="([^"]+)"/g)]
      .map(([, href = ""]) => href.replaceAll("&amp;", "&"))
      .find((href) => href.startsWith(start)) ?? "";

  test("by a link has the entry of the client's file", async () => {
    const html = await (await stranger("support")).text();
    const url = `${site.url}/mcp/support`;
    const cursor = new URL(linkTo(html, "cursor:"));
    expect(`${cursor.host}${cursor.pathname}`).toBe("anysphere.cursor-deeplink/mcp/install");
    expect(cursor.searchParams.get("name")).toBe("support");
    expect(JSON.parse(atob(cursor.searchParams.get("config") ?? ""))).toEqual({ url });
    const vscode = linkTo(html, "vscode:mcp/install?").slice("vscode:mcp/install?".length);
    expect(JSON.parse(decodeURIComponent(vscode))).toEqual({ name: "support", type: "http", url });
  });

  test("by a link asks for the key where one is needed, and never contains it", async () => {
    const html = await pageOf(alice, "keys");
    const cursor = new URL(linkTo(html, "cursor:")).searchParams.get("config") ?? "";
    const headers = { Authorization: "Bearer ${env:RUNTIME_API_KEY}", "X-User-ID": "alice" };
    expect(JSON.parse(atob(cursor))).toEqual({ url: `${site.runtime.core.publicUrl()}/mcp/keys`, headers });
    const vscode = JSON.parse(decodeURIComponent(linkTo(html, "vscode:").split("?")[1] ?? ""));
    expect(vscode.headers.Authorization).toBe("Bearer ${input:runtime-api-key}");
    expect(vscode.inputs).toMatchObject([{ id: "runtime-api-key", password: true }]);
  });

  test("by a command and by an entry", async () => {
    const text = textOf(await (await stranger("support")).text());
    const url = `${site.url}/mcp/support`;
    expect(text).toContain(`claude mcp add --transport http support ${url} `);
    expect(text).toContain(`codex mcp add support --url ${url} `);
    expect(text).toContain(`npx -y mcp-remote ${url} `);
    expect(text).toContain(
      `{ &quot;mcpServers&quot;: { &quot;support&quot;: { &quot;type&quot;: &quot;http&quot;`,
    );
  });

  test("by the entry of the file of each client that calls addresses", async () => {
    const text = textOf(await pageOf(alice, "keys"));
    for (const file of [
      ".mcp.json",
      ".cursor/mcp.json",
      ".gemini/settings.json",
      "opencode.json",
      ".vscode/mcp.json",
    ])
      expect(text).toContain(`: ${file} {`);
    expect(text).toContain("&quot;httpUrl&quot;:");
    expect(text).not.toContain("claude_desktop_config");
  });

  test("by a command quotes a user whatever the id is", async () => {
    const html = await pageOf(await signInBrowser(site, "o'neil; rm -rf $HOME"), "keys");
    expect(html).toContain("&#39;X-User-ID: o&#39;\\&#39;&#39;neil; rm -rf $HOME&#39;");
  });

  test("names no user to strangers", async () => {
    expect(await (await stranger("keys")).text()).toContain("X-User-ID: YOUR-USER-ID");
  });
});
