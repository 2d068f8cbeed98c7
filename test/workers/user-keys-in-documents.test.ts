// Workers with users' own keys in documents and in the configuration.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { addKeyProvider, giveKey } from "../authorization/key-page";
import { originOf } from "../../src/origins";
import { api, at } from "../support/api";
import { startSite } from "../support/site";
import { temporaryFolder } from "../support/temporary";
import { keyedMcp, type KeyedUpstream, markOf } from "./keyed";

let upstream: KeyedUpstream;
beforeAll(() => {
  upstream = keyedMcp();
});
afterAll(() => upstream[Symbol.asyncDispose]());

const HEADERS = { "X-Key": "${user.tracker}" };
const config = () => ({ location: "header" as const, addresses: [originOf(upstream.uri) ?? ""] });

test("one document creates the provider and the worker that names it, and exports them again", async () => {
  await using site = await startSite();
  const admin = api(site.url, await site.key("admin"));
  const document = {
    providers: [{ id: "tracker", type: "api_key", api_key: config() }],
    workers: [{ id: "keyed", mcp: { uri: upstream.uri, timeout: 10, retry: 0, headers: HEADERS } }],
  };
  const applied = await admin.post("/v1/admin/manifest", document);
  expect([applied.status, applied.text]).toEqual([200, expect.any(String)]);
  await giveKey(site, "alice", "key-of-alice", "tracker");

  const call = { tool_name: "Keyed.who", user_id: "alice", input: {} };
  expect(at((await admin.post("/v1/tools/execute", call)).body, "output.value")).toBe(markOf("key-of-alice"));
  const exported = (await admin.get("/v1/admin/manifest")).body;
  expect(at(exported, "workers.0.mcp.headers")).toEqual(HEADERS);
  const again = await admin.post("/v1/admin/manifest?dry_run=true", exported as object);
  expect(Object(again.body).changes.map(({ action }: { action: string }) => action)).not.toContain("update");
});

test("a document whose worker names a provider that is not there changes nothing", async () => {
  await using site = await startSite();
  const admin = api(site.url, await site.key("admin"));
  const worker = { id: "keyed", mcp: { uri: upstream.uri, timeout: 10, retry: 0, headers: HEADERS } };
  const refused = await admin.post("/v1/admin/manifest", { workers: [worker] });

  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("does not exist")]);
  expect(at((await admin.get("/v1/workers")).body, "total_count")).toBe(0);
});

test("a worker of the configuration sends the keys of each project's own provider", async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, ".config", "runtime"), { recursive: true });
  const file = join(folder, "runtime.yaml");
  const worker = { id: "keyed", updates: "auto", mcp: { uri: upstream.uri, headers: HEADERS } };
  writeFileSync(file, JSON.stringify({ workers: [worker] }));
  await using site = await startSite({ folder, environment: { RUNTIME_CONFIG: file } });
  const admin = api(site.url, await site.key("admin"));
  await admin.post("/v1/workers/keyed/refresh", {});
  const call = { tool_name: "Keyed.who", user_id: "alice", input: {} };
  const without = await admin.post("/v1/tools/execute", call);
  expect([without.status, String(at(without.body, "message"))]).toEqual([
    400,
    expect.stringContaining('no auth provider "tracker"'),
  ]);
  await addKeyProvider(site, config());
  await giveKey(site, "alice", "key-of-alice");

  expect(at((await admin.post("/v1/tools/execute", call)).body, "output.value")).toBe(markOf("key-of-alice"));
});
