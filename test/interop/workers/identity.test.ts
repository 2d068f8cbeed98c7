// Workers that check who calls with libraries of others: jose (JavaScript) and PyJWT with cryptography (Debian's packages).
import { afterAll, beforeAll, describe, expect } from "bun:test";
import { join } from "node:path";
import type { Runtime } from "../../../src/runtime";
import { identitySigner } from "../../../src/workers/identity";
import { api, at } from "../../support/api";
import { freePort } from "../../support/free-port";
import { testWith } from "../../support/require";
import { type Site, startSite } from "../../support/site";
import { PYTHON } from "./http-worker";

const EXAMPLE = join(import.meta.dir, "../../../examples/worker-identity");
const hasPython = Bun.spawnSync([PYTHON, "-c", "import fastapi, uvicorn, jwt, cryptography"], {
  stderr: "ignore",
}).success;

const PEERS: readonly (readonly [string, string[], boolean])[] = [
  ["jose", [process.execPath, join(EXAMPLE, "server.mjs")], true],
  ["PyJWT", [PYTHON, join(EXAMPLE, "server.py")], hasPython],
];

describe.each(PEERS)("a worker with %s", (_name, command, isPresent) => {
  const test = testWith(
    "python3-fastapi, python3-uvicorn, python3-jwt or python3-cryptography (Debian)",
    isPresent,
  );
  let site: Site;
  let agent: ReturnType<typeof api>;
  let worker: Bun.Subprocess;
  let uri: string;

  beforeAll(async () => {
    if (!isPresent) return;
    site = await startSite();
    agent = api(site.url, await site.key("run"));
    const port = String(freePort());
    uri = `http://127.0.0.1:${port}/mcp`;
    worker = Bun.spawn([...command, port, site.url], {
      env: { PATH: process.env["PATH"] ?? "", PYTHONDONTWRITEBYTECODE: "1" },
      stdout: "ignore",
      stderr: "inherit",
    });
    while ((await fetch(uri).catch(() => undefined)) === undefined) await Bun.sleep(50);
    const admin = api(site.url, await site.key("admin"));
    const mcp = { uri, timeout: 10, retry: 0 };
    expect((await admin.post("/v1/workers", { id: "who", mcp, identity: "jwt" })).status).toBe(201);
  });
  afterAll(async () => {
    worker?.kill("SIGKILL");
    await site?.[Symbol.asyncDispose]();
  });

  const who = async (user_id: string): Promise<unknown> => {
    const { body } = await agent.post("/v1/tools/execute", { tool_name: "Who.who", user_id, input: {} });
    return at(body, "output.value");
  };
  /** The status with which the worker answers to a token that it gets without the runtime. */
  const answerTo = async (token: string): Promise<number> => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    const headers = { "content-type": "application/json", "x-runtime-identity": token };
    return (await fetch(uri, { method: "POST", headers, body })).status;
  };
  const signed = async (
    { core, workers }: Runtime,
    { address = uri, ago = 0, issuer = site.url }: { address?: string; ago?: number; issuer?: string },
  ): Promise<string> => {
    const clock = { ...core.clock, now: () => Date.now() - ago };
    const sign = identitySigner({ clock, publicUrl: () => issuer }, workers.identityKeys);
    const on = { userId: "alice", actor: "operator" };
    return (await sign({ projectId: "default", uri: address }, on)).reveal();
  };

  test("accepts its own tokens, and learns the user, the project and the actor", async () => {
    expect(await who("alice")).toMatch(/^alice of default, through key:key_[0-9a-f]+$/);
    expect(await who("李雷")).toMatch(/^李雷 of default, through key:key_[0-9a-f]+$/);
    expect(await answerTo(await signed(site.runtime, {}))).toBe(200);
  });

  test("refuses a token for another worker", async () => {
    const of = async (address: string): Promise<number> => answerTo(await signed(site.runtime, { address }));

    expect(await of(uri.replace("/mcp", "/other"))).toBe(401);
    expect(await of(`${uri}/`)).toBe(401);
    expect(await of(uri.replace("127.0.0.1", "localhost"))).toBe(401);
  });

  test("refuses a token that has expired, of another issuer, or without a valid signature", async () => {
    await using other = await startSite();
    const token = await signed(site.runtime, {});
    const [head, , signature] = token.split(".");
    const [, bob] = (await signed(site.runtime, { ago: 1000 })).split(".");

    expect(await answerTo(await signed(site.runtime, { ago: 310_000 }))).toBe(401);
    expect(await answerTo(await signed(site.runtime, { issuer: other.url }))).toBe(401);
    expect(await answerTo(await signed(other.runtime, {}))).toBe(401);
    expect(await answerTo(`${head}.${bob}.${signature}`)).toBe(401);
    expect(await answerTo("")).toBe(401);
    expect(await answerTo(token)).toBe(200);
  });
});
