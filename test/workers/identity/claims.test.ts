// What a worker with `identity: jwt` is told, whichever entry point a tool is called through.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { startGuardedSite } from "../../hooks/guarded-site";
import { say } from "../../sandbox/models/chat-server";
import { api } from "../../support/api";
import { asking, type ChatSite, startChatSite } from "../../support/chat-site";
import { type Site, startSite } from "../../support/site";
import { claimsIn, headerOf, httpPeer, mcpPeer, type Peer } from "./peers";

let chat: ChatSite;
let site: Site;
let admin: ReturnType<typeof api>;
let agent: ReturnType<typeof api>;
beforeAll(async () => {
  chat = await startChatSite({
    turn: (request, reply, turn) =>
      say(
        request,
        reply,
        turn === 0 ? { calls: [{ name: "Actor_act", arguments: "{}" }] } : { content: "." },
      ),
  });
  ({ site } = chat);
  admin = api(site.url, await site.key("admin"));
  agent = api(site.url, chat.key);
});
afterAll(() => chat[Symbol.asyncDispose]());

const JWT = { identity: "jwt" };
const createMcp = (id: string, uri: string) =>
  admin.post("/v1/workers", { id, mcp: { uri, timeout: 10, retry: 0 }, ...JWT });
const run = (tool_name: string, user_id: string) =>
  agent.post("/v1/tools/execute", { tool_name, user_id, input: {} });
const isCall = ({ what }: { what: string }): boolean => what === "tools/call" || what.endsWith("/invoke");
const lastCall = ({ requests }: Peer) => claimsIn(requests.findLast(isCall)?.token ?? null);

describe.each(["legacy", "modern"] as const)("an MCP worker of the %s family", (family) => {
  test("is told the user with every request for the user, and none with those for the catalog", async () => {
    const peer = mcpPeer({ family });
    const toolkit = family === "legacy" ? "Legacy" : "Modern";
    const { body } = await createMcp(toolkit, peer.uri);
    const forCatalog = peer.requests.splice(0).map(({ token }) => claimsIn(token));
    await run(`${toolkit}.act`, "alice");
    await admin.delete(`/v1/workers/${toolkit}`);
    const forUser = peer.requests.map(({ token }) => claimsIn(token));

    const common = { iss: site.url, aud: peer.uri, project: "default" };
    expect(body).toMatchObject({ ...JWT, identity_header: "X-Runtime-Identity", catalog: { tools: 1 } });
    expect(forCatalog).toEqual(forCatalog.map(() => expect.objectContaining(common)));
    expect(forCatalog.filter((claims) => "sub" in claims || "act" in claims)).toEqual([]);
    expect(forUser).toEqual(forUser.map(() => expect.objectContaining({ ...common, sub: "alice" })));
    expect([forCatalog.length > 0, forUser.length > 0]).toEqual([true, true]);
  });
});

test("the end of a session is asked for with the user's token", async () => {
  const peer = mcpPeer();
  {
    await using other = await startSite();
    const { tools, workers, identity } = other.runtime;
    const operator = await identity.operator("default");
    await workers.create(operator, {
      id: "ended",
      mcp: { uri: peer.uri, timeout: 10, retry: 0 },
      identity: "jwt",
    });
    await tools.execute(operator, { tool_name: "Ended.act", user_id: "alice", input: {} });
    peer.requests.length = 0;
  }

  expect(peer.requests.map(({ method, token }) => [method, claimsIn(token).sub])).toContainEqual([
    "DELETE",
    "alice",
  ]);
});

test("an HTTP worker is told the user with each call", async () => {
  const peer = httpPeer();
  const http = { uri: peer.uri, secret: "signing-secret", timeout: 10, retry: 0 };
  await admin.post("/v1/workers", { id: "http", http, ...JWT });
  await run("Peer.Act", "alice");

  const [catalog, call] = peer.requests.map(({ token }) => claimsIn(token));
  const common = { iss: site.url, aud: peer.uri, project: "default" };
  expect(catalog).toMatchObject(common);
  expect(catalog).not.toContainAnyKeys(["sub", "act"]);
  expect(call).toMatchObject({ ...common, sub: "alice" });
});

test("a worker whose record does not say so is told nothing", async () => {
  const peer = mcpPeer();
  await admin.post("/v1/workers", { id: "untold", mcp: { uri: peer.uri, timeout: 10, retry: 0 } });
  await run("Untold.act", "alice");

  expect(new Set(peer.requests.map(({ token }) => token))).toEqual(new Set([null]));
});

test("a token is valid for five minutes, and has a type, a key, and an id of its own", async () => {
  const peer = mcpPeer();
  await createMcp("form", peer.uri);
  await run("Form.act", "alice");
  await run("Form.act", "alice");
  const tokens = peer.requests.map(({ token }) => token);
  const token = tokens.at(-1) ?? "";

  const { payload } = await jwtVerify(
    token,
    createRemoteJWKSet(new URL(`${site.url}/.well-known/jwks.json`)),
    { issuer: site.url, audience: peer.uri, subject: "alice", typ: "JWT", algorithms: ["ES256"] },
  );

  expect(Number(payload.exp) - Number(payload.iat)).toBe(300);
  expect(new Set(tokens.map((each) => claimsIn(each).jti)).size).toBe(tokens.length);
  expect(new Set(tokens.map((each) => headerOf(each).kid)).size).toBe(1);
});

test("the audience is the address as it is in the record", async () => {
  const peer = mcpPeer();
  const uri = `${peer.uri.replace("http://127.0.0.1", "HTTP://127.0.0.1")}?a=%7e`;
  await createMcp("spelled", uri);
  await run("Spelled.act", "alice");

  expect(lastCall(peer).aud).toBe(uri);
});

describe("the actor", () => {
  let peer: Peer;
  let key: string;
  beforeAll(async () => {
    const { items } = await site.runtime.identity.listKeys(await site.runtime.identity.operator("default"));
    key = `key:${items.find(({ prefix }) => chat.key.startsWith(prefix))?.id}`;
  });

  const withPeer = async (work: () => Promise<unknown>): Promise<void> => {
    peer = mcpPeer();
    await createMcp("actor", peer.uri);
    await work();
    await admin.delete("/v1/workers/actor");
  };

  test("of a request is its key", async () => {
    await withPeer(() => run("Actor.act", "alice"));
    expect(lastCall(peer)).toMatchObject({ sub: "alice", act: { sub: key } });
  });

  test("of a chat completion is its key", async () => {
    const tools = ["Actor.act"];
    await withPeer(() => chat.ask(asking({ user: "alice", tools, tool_choice: "generate" })));
    expect(lastCall(peer)).toMatchObject({ sub: "alice", act: { sub: key } });
  });

  test("of a client of a gateway is its key", async () => {
    await withPeer(async () => {
      const gateway = { name: "g", slug: "g", auth_type: "arcade_header" };
      await admin.post("/v1/orgs/default/projects/default/gateways", gateway);
      const client = new Client({ name: "c", version: "1" });
      const headers = { authorization: `Bearer ${chat.key}`, "x-user-id": "alice" };
      const url = new URL(`${site.url}/mcp/g`);
      await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
      await client.callTool({ name: "Actor_act" });
      await client.close();
    });
    expect(lastCall(peer)).toMatchObject({ sub: "alice", act: { sub: key } });
  });

  test("of a scheduled run is the key that has scheduled it", async () => {
    await withPeer(async () => {
      const run_at = new Date(Date.now() + 1000).toISOString();
      await agent.post("/v1/tools/execute", { tool_name: "Actor.act", user_id: "alice", input: {}, run_at });
      while (!peer.requests.some(isCall)) await Bun.sleep(20);
    });
    expect(lastCall(peer)).toMatchObject({ sub: "alice", act: { sub: key } });
  });

  test("at the terminal is the operator", async () => {
    const operator = await site.runtime.identity.operator("default");
    const request = { tool_name: "Actor.act", user_id: "alice", input: {} };
    await withPeer(() => site.runtime.tools.execute(operator, request));
    expect(lastCall(peer)).toMatchObject({ sub: "alice", act: { sub: "operator" } });
  });
});

test("a hook that changes the input does not change who calls", async () => {
  await using guarded = await startGuardedSite();
  guarded.peer.respond = ({ path }) =>
    path === "pre" ? { code: "OK", override: { inputs: { text: "changed" } } } : {};
  const peer = mcpPeer();
  const worker = { id: "hooked", mcp: { uri: peer.uri, timeout: 10, retry: 0 }, ...JWT };
  await api(guarded.site.url, await guarded.site.key("admin")).post("/v1/workers", worker);
  const request = { tool_name: "Hooked.act", user_id: "alice", input: {} };
  await api(guarded.site.url, guarded.key).post("/v1/tools/execute", request);

  expect(guarded.peer.count("pre")).toBe(1);
  expect(lastCall(peer)).toMatchObject({
    sub: "alice",
    act: { sub: expect.stringMatching(/^key:key_[0-9a-f]+$/) },
  });
});
