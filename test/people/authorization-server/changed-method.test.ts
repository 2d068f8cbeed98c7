// What people have begun by one sign-in method does not count when people sign in by another, and not when that is changed back:
// a name may be that of another person then.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { startServer } from "../../../server";
import type { Runtime } from "../../../src/runtime";
import { extensions } from "../../../catalogs";
import { silentLog } from "../../../src/base";
import { createRuntime } from "../../../src/runtime";
import { client as mcpClient } from "../../mcp/site";
import { loadConfig } from "../../support/config";
import { operator } from "../../tools/deployment";
import { type Browser, type SignInSite, startSignInSite, TestClient, type Tokens } from "./site";

type Method = "passkey" | "proxy" | "none" | "default";

let site: SignInSite;
let gateway: string;
let client: TestClient;
let alice: Browser;
let tokens: Tokens;
beforeAll(async () => {
  site = await startSignInSite({ environment: { RUNTIME_HTTP_TRUSTED_PROXIES: "127.0.0.1" } });
  gateway = await site.tokenGateway("workbench");
});
beforeEach(async () => {
  client = await TestClient.register(site.url);
  alice = await site.browser("alice");
  tokens = await client.tokens(alice, gateway);
});
afterAll(() => site[Symbol.asyncDispose]());

const change = (sign_in: Method) =>
  site.deployment.runtime.identity.projects.update(operator(), "default", { sign_in });
const status = async (token = tokens.access_token): Promise<number> =>
  (await mcpClient(gateway, { key: token }).modern("tools/list")).status;
const session = () => alice.cookies.get("runtime_session_default");
const isSignedIn = async (runtime = site.deployment.runtime): Promise<boolean> =>
  (await runtime.people.signedIn("default", session())) !== undefined;

/** A process on the same database with another configuration. */
async function configured(method: Method): Promise<Runtime> {
  const environment = {
    HOME: site.deployment.folder,
    RUNTIME_PORT: "0",
    RUNTIME_SIGN_IN: method,
    RUNTIME_HTTP_TRUSTED_PROXIES: "127.0.0.1",
  };
  const runtime = await createRuntime(loadConfig({ environment }), extensions, { log: silentLog });
  runtime.listensOn(site.deployment.runtime.core.publicUrl());
  return runtime;
}

describe("a change of the project", () => {
  test.each(["none", "proxy"] as const)("to %s ends tokens and sessions for good", async (method) => {
    expect([await status(), await isSignedIn()]).toEqual([200, true]);
    await change(method);
    expect(await status()).toBe(401);
    await change("default");

    expect(await status()).toBe(401);
    expect((await client.refresh(tokens.refresh_token)).status).toBe(400);
    expect(await isSignedIn()).toBe(false);
  });

  test("to the same method ends nothing", async () => {
    await change("passkey");
    await change("default");

    expect([await status(), await isSignedIn()]).toEqual([200, true]);
  });

  test("ends a code that was not exchanged yet, and asks again", async () => {
    const code = await client.code(alice, gateway);
    await change("proxy");
    await change("default");

    expect((await client.exchange(code)).status).toBe(400);
    const again = await site.browser("alice");
    expect((await again.open(client.authorizeUrl({ resource: gateway }))).text).toContain('name="answer"');
  });
});

describe("a change of the configuration", () => {
  test("to a method by which the name is known ends tokens and sessions where it counts", async () => {
    const runtime = await configured("proxy");
    try {
      expect(await isSignedIn(runtime)).toBe(false);
      await expect(runtime.authorizationServer.verifier.verify(tokens.access_token)).rejects.toThrow(
        "what the user had allowed was revoked",
      );
    } finally {
      await runtime.close();
    }
    // A command with other settings ends nothing.
    expect([await status(), await isSignedIn()]).toEqual([200, true]);
  });

  test("ends them for good when a server starts with it", async () => {
    const runtime = await configured("none");
    const server = await startServer(runtime);
    try {
      expect(await isSignedIn(runtime)).toBe(false);
    } finally {
      await server.stop();
      await runtime.close();
    }

    expect([await status(), await isSignedIn()]).toEqual([401, false]);
    expect((await client.refresh(tokens.refresh_token)).status).toBe(400);
  });
});

test("what a person allows while the method changes does not count with the new one", async () => {
  const { authorizationServer } = site.deployment.runtime;
  const page = await alice.open(client.authorizeUrl({ resource: gateway, prompt: "consent" }));
  const request = await authorizationServer.request(page.url.split("/").at(-1) ?? "");
  if (request === undefined) throw new Error("no request");
  const person = { kind: "user", projectId: "default", userId: "alice" } as const;
  await authorizationServer.allow(request, { ...person, method: "proxy" });

  // The grant of the other method was replaced.
  expect(await status()).toBe(401);
  expect(
    await authorizationServer.isAllowed({ ...request, asksAgain: false }, { ...person, method: "link" }),
  ).toBe(false);
});
