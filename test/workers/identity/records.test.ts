// `identity` and `identity_header` of a worker's record: how they are set, and which headers are refused.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { api, at } from "../../support/api";
import { type Site, startSite } from "../../support/site";
import { claimsIn, HEADER, httpPeer, mcpPeer } from "./peers";

let site: Site;
let admin: ReturnType<typeof api>;
beforeAll(async () => {
  site = await startSite();
  admin = api(site.url, await site.key("admin"));
});
afterAll(() => site[Symbol.asyncDispose]());
afterEach(async () => {
  const { body } = await admin.get("/v1/workers");
  for (const worker of at(body, "items") as { id: string }[]) await admin.delete(`/v1/workers/${worker.id}`);
});

const JWT = { identity: "jwt" };
const create = (uri: string, more: object = {}, mcp: object = {}) =>
  admin.post("/v1/workers", { id: "w", mcp: { uri, timeout: 10, retry: 0, ...mcp }, ...more });
const run = (user_id = "alice") =>
  admin.post("/v1/tools/execute", { tool_name: "W.act", user_id, input: {} });

describe("the record", () => {
  test("is without it by default, and says so", async () => {
    const { body } = await create(mcpPeer().uri);
    expect([at(body, "identity"), at(body, "identity_header")]).toEqual(["none", undefined]);
  });

  test("turns it on, changes the header, and turns it off", async () => {
    const { uri, requests } = mcpPeer();
    await create(uri);
    const patch = async (given: object): Promise<unknown[]> => {
      const { body } = await admin.patch("/v1/workers/w", given);
      await run();
      const { headers } = requests.at(-1) ?? { headers: new Headers() };
      return [at(body, "identity_header"), headers.has(HEADER), headers.has("x-who")];
    };

    expect(await patch(JWT)).toEqual(["X-Runtime-Identity", true, false]);
    expect(await patch({ identity_header: "X-Who" })).toEqual(["X-Who", false, true]);
    expect(await patch({ mcp: { timeout: 9 } })).toEqual(["X-Who", false, true]);
    expect(await patch({ identity: "none" })).toEqual([undefined, false, false]);
  });

  test("has the token behind Bearer in Authorization, if nothing else uses that", async () => {
    const peer = mcpPeer({}, "authorization");
    await create(peer.uri, { ...JWT, identity_header: "Authorization" });
    await run();

    const { token } = peer.requests.at(-1) ?? { token: null };
    expect(token).toStartWith("Bearer ey");
    expect(claimsIn(token)).toMatchObject({ sub: "alice", aud: peer.uri });
  });

  test("refuses Authorization where something else uses it", async () => {
    const given = { ...JWT, identity_header: "authorization" };
    const { uri } = mcpPeer();
    const oauth2 = await create(uri, given, { oauth2: { client_id: "c" } });
    const headers = { headers: { Authorization: "${secret:A}" }, secrets: { A: "Bearer x" } };
    const own = await create(uri, given, headers);
    const http = { uri: httpPeer().uri, secret: "s", timeout: 10, retry: 0 };
    const signed = await admin.post("/v1/workers", { id: "h", http, ...given });

    expect([oauth2.status, own.status, signed.status]).toEqual([400, 400, 400]);
    expect(at(oauth2.body, "message")).toContain("carries the users' tokens");
    expect(at(own.body, "message")).toContain("mcp.headers contains it");
    expect(at(signed.body, "message")).toContain("carries the token that signs calls");
  });

  test("does not ask for a consent if the worker refuses its token in Authorization", async () => {
    const challenge = { headers: { "www-authenticate": "Bearer" }, status: 401 };
    const peer = mcpPeer({ before: () => new Response("", challenge) });
    const { body } = await create(peer.uri, { ...JWT, identity_header: "Authorization" });

    expect(at(body, "mcp.oauth2")).toBeUndefined();
    const asked = await admin.get("/v1/workers/w/authorize");
    expect(asked.body).toMatchObject({ name: "tool_requirements_not_met" });
    expect(at(asked.body, "message")).toContain("check the issuer (public_url) and the audience");
  });

  test.each(["X-Runtime-Identity", "Authorization"])(
    "says what to check if the worker refuses its token in %s with a bare 401, and starts no consent",
    async (identity_header) => {
      const peer = mcpPeer({ before: () => new Response("", { status: 401 }) });
      const { body } = await create(peer.uri, { ...JWT, identity_header });

      expect(at(body, "mcp.oauth2")).toBeUndefined();
      expect(at(body, "catalog.error")).toContain("check the issuer (public_url) and the audience");
    },
  );

  test.each([
    "Accept",
    "content-type",
    "Mcp-Session-Id",
    "Mcp-Param-User",
    "Host",
    "Cookie",
    "X-Forwarded-For",
  ])("refuses %s, which others read", async (identity_header) => {
    const { status, body } = await create(mcpPeer().uri, { ...JWT, identity_header });
    expect([status, at(body, "message")]).toEqual([400, expect.stringContaining("Choose another header")]);
  });

  test("refuses a header of the record, also one that is added later", async () => {
    const { uri } = mcpPeer();
    const both = await create(uri, { ...JWT, identity_header: "X-Team" }, { headers: { "x-team": "blue" } });
    await create(uri, { ...JWT, identity_header: "X-Team" });
    const later = await admin.patch("/v1/workers/w", { mcp: { headers: { "x-TEAM": "blue" } } });

    expect([both.status, later.status]).toEqual([400, 400]);
  });

  test.each(["X Team", "X-Team\r\nX-Other: 1", "", "X-Ünicode"])("refuses the header %j", async (name) => {
    const { status } = await create(mcpPeer().uri, { ...JWT, identity_header: name });
    expect(status).toBe(400);
  });

  test("refuses a header without a token", async () => {
    const { status, body } = await create(mcpPeer().uri, { identity_header: "X-Who" });
    expect([status, at(body, "message")]).toEqual([400, expect.stringContaining("Set identity to jwt")]);
  });
});

test("a preview asks with a token without a user", async () => {
  const peer = mcpPeer();
  const { status } = await admin.post("/v1/workers/preview", { mcp: { uri: peer.uri }, ...JWT });

  expect(status).toBe(200);
  expect(claimsIn(peer.requests.at(-1)?.token ?? null)).not.toContainKey("sub");
});

test("a document has both fields, and applying it again changes nothing", async () => {
  await create(mcpPeer().uri, { ...JWT, identity_header: "X-Who" });
  const operator = await site.runtime.identity.operator("default");
  const document = await site.runtime.manifests.export(operator);
  const workers = at(JSON.parse(JSON.stringify(document)), "workers");
  const again = await site.runtime.manifests.apply(operator, { workers } as never);
  await site.runtime.manifests.apply(operator, {
    workers: [{ ...(at(workers, "0") as object), identity: "none", identity_header: undefined }],
  } as never);

  expect(at(workers, "0")).toMatchObject({ ...JWT, identity_header: "X-Who" });
  expect(JSON.stringify(again)).not.toContain('"update"');
  expect(at((await admin.get("/v1/workers/w")).body, "identity")).toBe("none");
});

test("a worker of the configuration has them too", async () => {
  const peer = mcpPeer();
  const workers = [{ id: "fixed", mcp: { uri: peer.uri }, ...JWT, identity_header: "X-Runtime-Identity" }];
  await using fixed = await startSite({ environment: { RUNTIME_WORKERS: JSON.stringify(workers) } });
  const operator = await fixed.runtime.identity.operator("default");
  await fixed.runtime.workers.catalogs.refresh(operator, "fixed");
  await fixed.runtime.tools.execute(operator, { tool_name: "Fixed.act", user_id: "alice", input: {} });

  expect(claimsIn(peer.requests.at(-1)?.token ?? null)).toMatchObject({ sub: "alice", project: "default" });
});
