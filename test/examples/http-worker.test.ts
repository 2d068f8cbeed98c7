// The example of an HTTP worker, as its page leads through it: with two users, of whom none gets the other's token.
import { afterAll, beforeAll, expect } from "bun:test";
import { join } from "node:path";
import { api } from "../support/api";
import { testWith } from "../support/require";
import { type Site, startSite } from "../support/site";
import { hasPythonWorker, PYTHON } from "../interop/workers/http-worker";
import { give, idpRecord } from "../tools/deployment";

const present = hasPythonWorker();
const test = testWith("python3-fastapi, python3-uvicorn or python3-jwt (Debian)", present);

const WORKER = join(import.meta.dir, "../../examples/http-worker/worker.py");
const SECRET = "the-secret-of-the-example";

let site: Site;
let platform: ReturnType<typeof Bun.serve>;
let worker: Bun.Subprocess;
let agent: ReturnType<typeof api>;

beforeAll(async () => {
  if (!present) return;
  site = await startSite();
  // The name is in the token.
  platform = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => {
      const name = /^Bearer token-of-(\w+)$/.exec(request.headers.get("authorization") ?? "")?.[1];
      return name === undefined ? new Response("", { status: 401 }) : Response.json({ name });
    },
  });
  const port = freePort();
  worker = Bun.spawn([PYTHON, WORKER, String(port)], {
    env: {
      WORKER_SECRET: SECRET,
      PLATFORM: `http://127.0.0.1:${platform.port}`,
      PYTHONDONTWRITEBYTECODE: "1",
    },
    stderr: "ignore",
  });
  const uri = `http://127.0.0.1:${port}`;
  await answers(`${uri}/worker/health`);
  const admin = api(site.url, await site.key("admin"));
  agent = api(site.url, await site.key("run"));
  await admin.post("/v1/admin/auth_providers", { ...idpRecord({ url: "http://127.0.0.1:1" }), id: "acme" });
  const http = { uri, secret: SECRET, timeout: 10, retry: 0 };
  const { body } = await admin.post("/v1/workers", { id: "example", http });
  expect(body).toMatchObject({ skipped: [], catalog: { tools: 2 } });
});

afterAll(async () => {
  worker?.kill("SIGKILL");
  await platform?.stop(true);
  await site?.[Symbol.asyncDispose]();
});

const run = (name: string, user_id: string, input = {}) =>
  agent.post("/v1/tools/execute", { tool_name: `Example.${name}`, user_id, input });

test("the first tool greets", async () => {
  expect((await run("Hello", "alice", { name: "Ann" })).body).toMatchObject({
    output: { value: "Hello, Ann!" },
  });
});

test("the second one needs a consent, and calls the platform as the user who has given it", async () => {
  expect((await run("WhoAmI", "alice")).status).toBe(403);
  for (const user of ["alice", "bob"])
    await give(site.runtime, user, { provider: "acme", access: `token-of-${user}`, scopes: ["profile"] });

  for (const user of ["alice", "bob"])
    expect((await run("WhoAmI", user)).body).toMatchObject({ output: { value: { name: user } } });
  expect((await run("WhoAmI", "carol")).status).toBe(403);
});

test("a token that the platform refuses starts a consent, and the grant stays", async () => {
  await give(site.runtime, "dave", {
    provider: "acme",
    access: "revoked",
    refresh: null,
    scopes: ["profile"],
  });
  expect((await run("WhoAmI", "dave")).body).toMatchObject({
    output: { error: { kind: "UPSTREAM_RUNTIME_AUTH_ERROR" } },
  });
  const again = await run("WhoAmI", "dave");
  expect([again.status, again.body]).toEqual([200, expect.objectContaining({ success: false })]);
});

function freePort(): number {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const { port = 0 } = server;
  void server.stop(true);
  return port;
}

async function answers(url: string): Promise<void> {
  for (;;) {
    const response = await fetch(url).catch(() => undefined);
    if (response?.ok === true) return;
    await Bun.sleep(50);
  }
}
