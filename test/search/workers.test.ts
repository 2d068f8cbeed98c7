// Tools of workers are found as soon as they are offered, by users of their own project only.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { client, valueAt } from "../mcp/site";
import { api, at } from "../support/api";
import { TEXT, Upstream } from "../support/mcp-upstream";
import { type Site, startSite } from "../support/site";

const PARCELS = { name: "track", description: "Follows a parcel.", inputSchema: { type: "object" } };
const LETTERS = {
  name: "stamp",
  description: "Prints a stamp for a letter.",
  inputSchema: { type: "object" },
};

let site: Site;
let tools: object[];
let server: Upstream;
beforeAll(async () => {
  site = await startSite();
  server = new Upstream({ methods: { "tools/list": () => ({ tools }), "tools/call": () => TEXT("done") } });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

const found = async (key: string, query: string): Promise<unknown> => {
  const { body } = await api(site.url, key).get(`/v1/tools?limit=3&query=${query}`);
  return at(body, "items.0.qualified_name");
};

test("they are found from the creation of the worker until its deletion, also when its catalog has changed", async () => {
  const { identity, gateways } = site.runtime;
  const operator = await identity.operator("default");
  await identity.createProject(operator, "other", "Other");
  const [key, foreign] = [await site.key("admin"), await site.key("admin", undefined, "other")];
  const admin = api(site.url, key);
  await gateways.create(operator, {
    name: "finding",
    slug: "finding",
    auth_type: "arcade_header",
    tool_filter: { discovery: { enabled: true } },
  });
  const own = client(`${site.url}/mcp/finding`, { key, user: "alice" });
  const foundByClient = async (query: string) => {
    const answer = await own.legacy("tools/call", { name: "search_tools", arguments: { query } });
    return valueAt(answer, "result.structuredContent.tools.0.name");
  };
  tools = [PARCELS];
  expect([await found(key, "parcel"), await foundByClient("parcel")]).toEqual([undefined, undefined]);

  const mcp = { uri: server.url, timeout: 10, retry: 0 };
  expect((await admin.post("/v1/workers", { id: "mail", mcp, updates: "auto" })).status).toBe(201);
  expect([await found(key, "parcels"), await foundByClient("parcels")]).toEqual(["Mail.track", "Mail_track"]);
  expect(await found(foreign, "parcel")).toBeUndefined();

  tools = [PARCELS, LETTERS];
  await admin.post("/v1/workers/mail/refresh", {});
  expect([await found(key, "stamps"), await foundByClient("stamps")]).toEqual(["Mail.stamp", "Mail_stamp"]);
  const called = await own.legacy("tools/call", { name: "call_tool", arguments: { name: "Mail_stamp" } });
  expect(valueAt(called, "result.content.0.text")).toBe("done");

  await admin.delete("/v1/workers/mail");
  expect([await found(key, "parcel"), await foundByClient("stamp")]).toEqual([undefined, undefined]);
});
