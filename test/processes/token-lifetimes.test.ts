// The built executable issues tokens that expire: the library that issues them finds lifetimes by the names of its classes,
// which a bundler shortens, and without them nothing would expire and nothing would complain.
import { afterAll, beforeAll, expect } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { extensions } from "../../catalogs";
import { silentLog } from "../../src/base";
import { createRuntime } from "../../src/runtime";
import { client as mcpClient } from "../mcp/site";
import {
  Browser,
  form,
  signInBrowser,
  TestClient,
  textAt,
  tokensIn,
} from "../people/authorization-server/site";
import { at } from "../support/api";
import { loadConfig } from "../support/config";
import { Installation, type RunningServer } from "../support/runtime-process";
import { testWithClock as test, WallClock } from "../support/wall-clock";
import { operator } from "../tools/deployment";
import { buildExecutable } from "./support/built";

const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;

const folder = mkdtempSync(join(tmpdir(), "runtime-lifetimes-"));
let executable = "";
beforeAll(() => {
  executable = buildExecutable(folder);
}, 180_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }), 60_000);

interface Stage extends AsyncDisposable {
  clock: WallClock;
  server: RunningServer;
  url: string;
  gateway: string;
  client: TestClient;
  browser: Browser;
}

/** A server on a clock of its own, to which alice has signed in. */
async function stage(): Promise<Stage> {
  const clock = new WallClock();
  const installation = new Installation(undefined, [executable]);
  Object.assign(installation.environment, { RUNTIME_SIGN_IN: "passkey" });
  const config = loadConfig({ environment: installation.environment });
  const runtime = await createRuntime(config, extensions, { log: silentLog });
  await runtime.gateways.create(operator(), { name: "Workbench", slug: "workbench", auth_type: "arcade" });
  Object.assign(installation.environment, clock.environment);
  const server = await installation.serve();
  // Passkeys need a host name, so that is where people sign in.
  const url = server.address.replace("127.0.0.1", "localhost");
  const browser = new Browser(url);
  await signInBrowser(browser, runtime, "alice");
  return {
    clock,
    server,
    url,
    gateway: `${url}/mcp/workbench`,
    client: await TestClient.register(url),
    browser,
    [Symbol.asyncDispose]: async () => {
      await runtime.close();
      await installation[Symbol.asyncDispose]();
    },
  };
}

const errorOf = async (answer: Response) => at(await answer.json(), "error");

test("an access token", async () => {
  await using here = await stage();
  const tokens = await here.client.tokens(here.browser, here.gateway);
  const statusOf = async (key: string) =>
    (await mcpClient(here.gateway, { key }).modern("tools/list")).status;
  expect(tokens.expires_in).toBe(10 * MINUTE);
  expect(await statusOf(tokens.access_token)).toBe(200);
  here.clock.set(10 * MINUTE + 1);
  expect(await statusOf(tokens.access_token)).toBe(401);
  // The library warns about the runtime.
  expect(here.server.output().toLowerCase()).not.toContain("provider");
});

test("a refresh token", async () => {
  await using here = await stage();
  const tokens = await here.client.tokens(here.browser, here.gateway);
  here.clock.set(29 * DAY);
  const next = tokensIn(await (await here.client.refresh(tokens.refresh_token)).json());
  expect(next.expires_in).toBe(10 * MINUTE);
  here.clock.set(60 * DAY);
  expect(await errorOf(await here.client.refresh(next.refresh_token))).toBe("invalid_grant");
});

test("an authorization code", async () => {
  await using here = await stage();
  const code = await here.client.code(here.browser, here.gateway);
  here.clock.set(MINUTE + 1);
  expect(await errorOf(await here.client.exchange(code))).toBe("invalid_grant");
});

test("a pushed request", async () => {
  await using here = await stage();
  const parameters = Object.fromEntries(
    new URL(here.client.authorizeUrl({ resource: here.gateway })).searchParams,
  );
  const pushed = await (await form(`${here.url}/oauth/par`, parameters)).json();
  expect(at(pushed, "expires_in")).toBe(MINUTE);
  here.clock.set(MINUTE + 1);
  const query = new URLSearchParams({
    client_id: here.client.id,
    request_uri: textAt(pushed, "request_uri"),
  });
  expect((await here.browser.open(`${here.url}/oauth/authorize?${query}`)).text).toContain(
    "invalid_request_uri",
  );
});

test("an answer that a person has not given", async () => {
  await using here = await stage();
  const page = await here.browser.open(here.client.authorizeUrl({ resource: here.gateway }));
  expect(page.status).toBe(200);
  here.clock.set(30 * MINUTE + 1);
  expect((await here.browser.open(page.url)).status).toBe(400);
});

test("the code of a device", async () => {
  await using here = await stage();
  const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
  const begun = await (await form(`${here.url}/oauth/device`, { client_id: "runtime-cli" })).json();
  expect(at(begun, "expires_in")).toBe(10 * MINUTE);
  const poll = () =>
    form(`${here.url}/oauth/token`, {
      client_id: "runtime-cli",
      grant_type,
      device_code: textAt(begun, "device_code"),
    });
  expect(await errorOf(await poll())).toBe("authorization_pending");
  here.clock.set(10 * MINUTE + 1);
  expect(["expired_token", "invalid_grant"]).toContain(String(await errorOf(await poll())));
});
