// A server that listens while its services are being loaded: it says how it is, and everybody else waits for them.
import { afterEach, expect, test } from "bun:test";
import { extensions } from "../../catalogs";
import { openServer, type Server } from "../../server";
import { silentLog } from "../../src/base";
import { loadConfig } from "../../src/config";
import { configurationError } from "../../src/errors";
import { type OpenGround, openGround } from "../../src/ground";
import { createServices, type Runtime } from "../../src/runtime";
import { freePort } from "../bench/server-under-test";
import { breakableStore } from "../support/breakable-store";
import { temporaryFolder } from "../support/temporary";

interface Loading {
  url: string;
  ground: OpenGround;
  started: Promise<{ server: Server; runtime: Runtime }>;
  /** Lets the services be loaded, or what is thrown stand in their way. */
  go(failure?: Error): void;
}

const close: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const each of close.splice(0)) await each();
});

async function load(isBroken = (): boolean => false): Promise<Loading> {
  const folder = temporaryFolder();
  const port = freePort();
  const environment = { HOME: folder, RUNTIME_PORT: String(port) };
  const parts = { log: silentLog, openStore: breakableStore(isBroken) };
  const ground = await openGround(loadConfig({ environment }), parts);
  const gate = Promise.withResolvers<void>();
  const started = openServer(ground, async () => {
    await gate.promise;
    return createServices(ground, extensions);
  });
  close.push(async () => {
    gate.resolve();
    const known = await started.catch(() => undefined);
    await known?.server.stop();
    await (known?.runtime ?? ground).close();
  });
  const go = (failure?: Error): void => (failure === undefined ? gate.resolve() : gate.reject(failure));
  return { url: `http://127.0.0.1:${port}`, ground, started, go };
}

async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const late = Symbol("late");
  return (await Promise.race([promise, Bun.sleep(50).then(() => late)])) === late;
}

test("health is answered before the services are there", async () => {
  const { url } = await load();

  const answer = await fetch(`${url}/v1/health`, {
    headers: { traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01` },
  });

  expect(answer.status).toBe(200);
  expect(await answer.json()).toEqual({ healthy: true });
  expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-z]{20}$/);
  expect(answer.headers.get("content-type")).toBe("application/json");
  expect(answer.headers.get("traceparent")).toStartWith("00-aaaa");
});

test("it is the answer that they give themselves", async () => {
  const { url, go, started } = await load();
  const headersOf = (answer: Response) =>
    [...answer.headers].filter(([name]) => name !== "x-request-id" && name !== "date");

  const early = await fetch(`${url}/v1/health`);
  go();
  await started;
  const late = await fetch(`${url}/v1/health`);

  expect(await early.json()).toEqual(await late.json());
  expect(headersOf(early)).toEqual(headersOf(late));
});

test("a database that is broken is said", async () => {
  let broken = false;
  const { url } = await load(() => broken);
  broken = true;

  const answer = await fetch(`${url}/v1/health`);

  expect(answer.status).toBe(503);
  expect(await answer.json()).toEqual({
    healthy: false,
    reason: "The database cannot be used. The log has the reason.",
  });
  broken = false;
});

test.each([
  ["an operation", "GET", "/v1/admin/secrets", 401],
  ["an operation of no such key", "POST", "/v1/tools/execute", 401],
  ["a gateway", "POST", "/mcp/none", 404],
  ["a page", "GET", "/authorize/none", 404],
  ["nothing of ours", "GET", "/nowhere", 404],
  ["health by another method", "DELETE", "/v1/health", 404],
])("a request for %s waits, and is answered then", async (_what, method, path, status) => {
  const { url, go, started } = await load();

  const answer = fetch(url + path, { method });
  expect(await isPending(answer)).toBe(true);
  go();
  await started;

  expect((await answer).status).toBe(status);
});

test("a hundred that wait are all answered", async () => {
  const { url, go } = await load();
  const answers = Array.from({ length: 100 }, () => fetch(`${url}/v1/admin/secrets`));
  await Bun.sleep(20);
  go();

  const statuses = (await Promise.all(answers)).map(({ status }) => status);

  expect(new Set(statuses)).toEqual(new Set([401]));
});

test("services that cannot be loaded end it: who waits is told, and nobody listens", async () => {
  const { url, go, started } = await load();
  const waiting = fetch(`${url}/v1/admin/secrets`);
  expect(await isPending(waiting)).toBe(true);
  go(configurationError("There is no such project."));

  expect(await started.catch((error: unknown) => error)).toMatchObject({
    message: "There is no such project.",
  });
  expect((await waiting).status).toBe(500);
  expect(await fetch(`${url}/v1/health`).catch(() => "refused")).toBe("refused");
});

test("a port that is taken stops it before anything is loaded", async () => {
  const first = await load();
  const { port } = new URL(first.url);
  const environment = { HOME: temporaryFolder(), RUNTIME_PORT: port };
  const ground = await openGround(loadConfig({ environment }), { log: silentLog });
  close.push(() => ground.close());
  let loads = 0;

  const failed = openServer(ground, async () => {
    loads += 1;
    return createServices(ground, extensions);
  });

  await expect(failed).rejects.toThrow(port);
  expect(loads).toBe(0);
});
