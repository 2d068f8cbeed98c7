// Workers that are told who calls: nobody else can say so, and the tokens get nowhere else.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { api, at, call } from "../support/api";
import { type Site, startSite } from "../support/site";
import { claimsIn, HEADER, headerOf, httpPeer, mcpPeer } from "../workers/identity/peers";
import { printFigure } from "./figure";
import { TEXT } from "../support/mcp-upstream";

let site: Site;
let admin: ReturnType<typeof api>;
let key: string;
beforeAll(async () => {
  site = await startSite();
  admin = api(site.url, await site.key("admin"));
  key = await site.key("run");
});
afterAll(() => site[Symbol.asyncDispose]());

const JWT = { identity: "jwt" };
const create = (id: string, uri: string, more: object = JWT) =>
  admin.post("/v1/workers", { id, mcp: { uri, timeout: 10, retry: 0 }, ...more });
const execute = (tool_name: string, user_id: string, by = key) =>
  call(site.url, {
    method: "POST",
    path: "/v1/tools/execute",
    key: by,
    body: { tool_name, user_id, input: {} },
  });
const isCall = ({ what }: { what: string }): boolean => what === "tools/call" || what.endsWith("/invoke");
const tokensIn = (requests: readonly { token: string | null }[]): string[] =>
  requests.flatMap(({ token }) => (token === null ? [] : [token]));

const ODD_USERS = [
  "zoë@example.com",
  "李雷",
  "علي",
  "👩‍🚀".replaceAll("\u200D", ""),
  'a"b\\c',
  "a: b, c; d=e",
  "x".repeat(256),
  "%0d%0aX-Admin: yes",
  "字".repeat(256),
  '{"sub":"bob"}',
  "alice ",
  "Alice",
];
const REFUSED_USERS = ["alice\r\nX-Admin: yes", "alice\n", "alice\u0000", " ", "\u202Ealice", "\uD800"];

describe("user ids", () => {
  test("arrive as they are, and add no header", async () => {
    const peer = mcpPeer({ family: "modern" });
    await create("odd", peer.uri);
    await execute("Odd.act", "plain");
    const names = [...(peer.requests.at(-1)?.headers.keys() ?? [])];
    let wrong = 0;
    for (const user of ODD_USERS) {
      peer.requests.length = 0;
      const { status } = await execute("Odd.act", user);
      const made = peer.requests.find(isCall);
      const same = JSON.stringify([...(made?.headers.keys() ?? [])]) === JSON.stringify(names);
      if (status !== 200 || claimsIn(made?.token ?? null).sub !== user || !same) wrong++;
    }
    peer.requests.length = 0;
    for (const user of REFUSED_USERS) if ((await execute("Odd.act", user)).status !== 400) wrong++;

    expect([wrong, peer.requests]).toEqual([0, []]);
    const count = ODD_USERS.length + REFUSED_USERS.length;
    printFigure(
      "worker identity",
      `${count} odd user ids: ${wrong} told as another user or with another header`,
    );
  });

  test("of two projects are told apart by the project and by the key", async () => {
    const { identity, tools, workers } = site.runtime;
    const operator = await identity.operator("default");
    await identity.createProject(operator, "second", "Second");
    const peer = mcpPeer();
    for (const project of ["default", "second"]) {
      const principal = await identity.operator(project);
      await workers.create(principal, {
        id: "two",
        mcp: { uri: peer.uri, timeout: 10, retry: 0 },
        identity: "jwt",
      });
      await tools.execute(principal, { tool_name: "Two.act", user_id: "alice", input: {} });
    }

    const tokens = peer.requests.filter(isCall).map(({ token }) => token);
    expect(tokens.map((token) => [claimsIn(token).project, claimsIn(token).sub])).toEqual([
      ["default", "alice"],
      ["second", "alice"],
    ]);
    expect(new Set(tokens.map((token) => headerOf(token).kid)).size).toBe(2);
  });
});

describe("a caller", () => {
  test("cannot say who it is through headers that a gateway passes on", async () => {
    const peer = mcpPeer();
    await create("passed", peer.uri);
    const gateway = { name: "p", slug: "p", auth_type: "arcade_header" };
    await admin.post("/v1/orgs/default/projects/default/gateways", {
      ...gateway,
      allowed_passthrough_headers: ["X-Runtime-Identity", "X-Tenant"],
    });
    const body = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "Passed_act", arguments: {} },
    };
    const headers = {
      "x-user-id": "mallory",
      [HEADER]: "forged.token.of-alice",
      "x-tenant": "blue",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
    };
    const answer = await fetch(`${site.url}/mcp/p`, { method: "POST", headers, body: JSON.stringify(body) });
    await answer.text();

    const made = peer.requests.find(isCall);
    expect([made?.headers.get("x-tenant"), claimsIn(made?.token ?? null).sub]).toEqual(["blue", "mallory"]);
  });

  test("gets no session that began for another one of the same user", async () => {
    const peer = mcpPeer();
    await create("actors", peer.uri);
    const other = await site.key("run");
    for (const by of [key, other, key]) await execute("Actors.act", "alice", by);

    const made = peer.requests.filter(isCall);
    const sessions = made.map(({ headers }) => headers.get("mcp-session-id"));
    const actors = made.map(({ token }) => claimsIn(token).act?.sub);
    expect([sessions[0] === sessions[1], sessions[0] === sessions[2]]).toEqual([false, true]);
    expect([actors[0] === actors[1], actors[0] === actors[2]]).toEqual([false, true]);
  });

  test("cannot use such a token here", async () => {
    const peer = mcpPeer();
    await create("here", peer.uri);
    await execute("Here.act", "alice");
    const [token = ""] = tokensIn(peer.requests.filter(isCall));

    expect((await execute("Here.act", "alice", token)).status).toBe(401);
  });
});

describe("a token", () => {
  test.each([
    ["an MCP worker", "mcp"],
    ["an HTTP worker", "http"],
  ])("does not follow a redirect of %s", async (_name, type) => {
    const elsewhere: string[] = [];
    const thief = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: ({ headers }) => {
        elsewhere.push(JSON.stringify([...headers]));
        return new Response("{}");
      },
    });
    const peer = type === "mcp" ? mcpPeer({}) : httpPeer();
    const redirecting = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: (request) => {
        const { pathname } = new URL(request.url);
        if (isRedirected)
          return new Response(null, { status: 307, headers: { location: `${thief.url}mcp` } });
        return fetch(`${new URL(peer.uri).origin}${pathname}`, request);
      },
    });
    let isRedirected = false;
    const uri = `http://127.0.0.1:${redirecting.port}${type === "mcp" ? "/mcp" : ""}`;
    if (type === "mcp") await create("redirects", uri);
    else {
      const http = { uri, secret: "s", timeout: 10, retry: 0 };
      await admin.post("/v1/workers", { id: "redirects", http, ...JWT });
    }
    isRedirected = true;
    const tool = type === "mcp" ? "Redirects.act" : "Peer.Act";
    const { body } = await execute(tool, "alice");
    const refreshed = await admin.post("/v1/workers/redirects/refresh");
    await admin.delete("/v1/workers/redirects");
    await thief.stop(true);
    await redirecting.stop(true);

    expect([at(body, "success"), elsewhere]).toEqual([false, []]);
    expect(String(at(refreshed.body, "catalog.error"))).toContain("redirect");
  });

  test("is in no answer, log line, audit entry or execution, also if the worker sends it back", async () => {
    const echoes = mcpPeer({
      family: "modern",
      methods: {
        "tools/list": () => ({
          tools: [
            { name: "act", inputSchema: { type: "object" } },
            { name: "fail", inputSchema: { type: "object" } },
          ],
        }),
        "tools/call": ({ id, params, headers }) => {
          const token = headers.get(HEADER);
          if (params["name"] !== "fail")
            return { ...TEXT(`you sent ${token}`), structuredContent: { token } };
          const error = { code: -32000, message: `bad ${token}`, data: { token } };
          return Response.json({ jsonrpc: "2.0", id, error });
        },
      },
    });
    const http = httpPeer((token) => ({ value: `you sent ${token}` }));
    await create("echoes", echoes.uri);
    await admin.post("/v1/workers", {
      id: "http-echoes",
      http: { uri: http.uri, secret: "s", timeout: 10, retry: 0 },
      ...JWT,
    });
    const answers = [
      await execute("Echoes.act", "alice"),
      await execute("Echoes.fail", "alice"),
      await execute("Peer.Act", "alice"),
      await admin.get("/v1/workers"),
      await admin.get("/.well-known/jwks.json"),
    ].map(({ text }) => text);
    const operator = await site.runtime.identity.operator("default");
    const trail = [
      await site.runtime.trail.audit(operator, { limit: 100 }),
      await site.runtime.trail.executions(operator, { limit: 100 }),
    ];
    const tokens = tokensIn([...echoes.requests, ...http.requests]);
    const everything = JSON.stringify([answers, trail, site.logLines]);
    const found = tokens.filter((token) => everything.includes(token.split(".")[2] ?? token));

    expect(answers.slice(0, 3).map((text) => text.includes("[redacted]"))).toEqual([true, true, true]);
    expect([tokens.length > 5, found]).toEqual([true, []]);
    printFigure(
      "worker identity",
      `${tokens.length} tokens, some sent back by their workers: ${found.length} found`,
    );
  });
});
