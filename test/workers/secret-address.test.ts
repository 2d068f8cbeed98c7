// Secrets in the path and the query of an MCP worker's address: sent there, and nowhere else to be seen.
import { afterAll, describe, expect, test } from "bun:test";
import { api, at } from "../support/api";
import { TEXT, Upstream } from "../support/mcp-upstream";
import { type Site, startSite } from "../support/site";

const PATH = "path-CANARY";
const KEY = "key%2Bvalue-CANARY";
const seen: string[] = [];
const upstream = new Upstream({
  family: "modern",
  before: (request) => void seen.push(request.url),
  methods: {
    "tools/list": () => ({ tools: [{ name: "note", inputSchema: { type: "object" } }] }),
    "tools/call": () => TEXT("done"),
  },
});
const { origin } = new URL(upstream.url);
const uri = `${origin}/s/\${secret:PATH}/mcp?key=\${secret:KEY}&page=2`;
afterAll(() => upstream[Symbol.asyncDispose]());

const worker = (more: object = {}) => ({
  id: "notes",
  mcp: { uri, timeout: 10, retry: 0, secrets: { PATH, KEY }, ...more },
});

async function adminOf(site: Site) {
  return api(site.url, await site.key("admin"));
}

describe("an address with secrets", () => {
  test("is called with them, for the catalog and for a call, and shown and logged without", async () => {
    await using site = await startSite();
    const admin = await adminOf(site);

    const created = await admin.post("/v1/workers", worker());
    const ran = await admin.post("/v1/tools/execute", {
      tool_name: "Notes.note",
      input: {},
      user_id: "alice",
    });

    expect([created.status, at(created.body, "catalog.tools"), at(ran.body, "success")]).toEqual([
      201,
      1,
      true,
    ]);
    expect(new Set(seen)).toEqual(new Set([`${origin}/s/${PATH}/mcp?key=${KEY}&page=2`]));
    expect(at(created.body, "mcp.uri")).toBe(uri);
    expect(site.logLines.join("\n")).toContain("outbound request");
    const shown = [created.text, ran.text, (await admin.get("/v1/workers/notes")).text, ...site.logLines];
    expect(shown.join("\n")).not.toContain("CANARY");
  });

  test("that does not answer is named without them", async () => {
    await using site = await startSite();
    const admin = await adminOf(site);
    const created = await admin.post(
      "/v1/workers",
      worker({ uri: uri.replace(origin, "http://127.0.0.1:9") }),
    );
    expect(at(created.body, "catalog.error")).toEqual(expect.any(String));
    expect(created.text + site.logLines.join("\n")).not.toContain("CANARY");
  });

  test.each<[string, object]>([
    ["the host", { uri: `http://\${secret:KEY}.example/mcp` }],
    ["a missing secret", { secrets: { PATH } }],
    ["a value that ends the path", { secrets: { PATH: "a#b", KEY } }],
  ])("is refused: %s", async (_what, more) => {
    await using site = await startSite();
    const refused = await (await adminOf(site)).post("/v1/workers", worker(more));
    expect([refused.status, at(refused.body, "field_errors.0.field")]).toEqual([400, "mcp.uri"]);
    expect(refused.text).not.toContain("CANARY");
  });

  test("takes no secret to another origin", async () => {
    await using site = await startSite();
    const admin = await adminOf(site);
    await admin.post("/v1/workers", worker());
    const moved = await admin.patch("/v1/workers/notes", {
      mcp: { uri: uri.replace("127.0.0.1", "localhost") },
    });
    expect([moved.status, at(moved.body, "field_errors.0.rule")]).toEqual([400, "origin"]);
  });
});
