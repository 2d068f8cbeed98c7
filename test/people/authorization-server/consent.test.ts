// The person is asked once for each client and gateway, by name, and only who is signed in with the browser that began it can
// answer.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { operator } from "../../tools/deployment";
import {
  type Browser,
  claimsOf,
  REDIRECT,
  type SignInSite,
  startSignInSite,
  TestClient,
  tokensIn,
} from "./site";

let site: SignInSite;
let gateway: string;
let other: string;
let client: TestClient;
let alice: Browser;
beforeAll(async () => {
  site = await startSignInSite();
  gateway = await site.tokenGateway("workbench");
  other = await site.tokenGateway("second", { consent_skip_client_ids: ["dcr_none", "runtime-cli"] });
  await site.deployment.runtime.identity.createProject(operator(), "apart", "Apart");
  await site.tokenGateway("apart", {}, "apart");
});
beforeEach(async () => {
  client = await TestClient.register(site.url);
  alice = await site.browser("alice");
});
afterAll(() => site[Symbol.asyncDispose]());

const opened = (browser: Browser, parameters: Record<string, string | undefined> = {}) =>
  browser.open(client.authorizeUrl({ resource: gateway, ...parameters }));
const codeIn = (url: string) => new URL(url).searchParams.get("code");
const errorIn = (url: string) => new URL(url).searchParams.get("error");

describe("the page", () => {
  test("names the client, the gateway, the person, and where the browser goes", async () => {
    const { text, headers, status } = await opened(alice);
    expect(status).toBe(200);
    for (const word of [
      "Test client",
      "Unverified",
      "Gateway workbench",
      gateway,
      "alice",
      "127.0.0.1:33418",
    ])
      expect(text).toContain(word);
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(headers.get("cache-control")).toBe("no-store");
  });

  test("shows the text of a client as text", async () => {
    client = await TestClient.register(site.url, { client_name: '<script>alert(1)</script>"\u202E' });
    const { text } = await opened(alice);
    expect(text).toContain("&lt;script&gt;");
    expect(text).not.toContain("<script>alert");
    expect(text).not.toContain("\u202E");
  });

  test("is not shown again for the same client, gateway and person", async () => {
    await client.code(alice, gateway);
    expect(codeIn((await opened(alice)).url)).toBeTruthy();
    expect((await opened(alice, { resource: other })).text).toContain("Gateway second");
    const bob = await site.browser("bob");
    expect((await opened(bob)).text).toContain("bob");
    client = await TestClient.register(site.url);
    expect((await opened(alice)).text).toContain("Test client");
  });

  test("is shown again if the client wants that, and after a revocation", async () => {
    const tokens = await client.tokens(alice, gateway);
    expect((await opened(alice, { prompt: "consent" })).text).toContain("Test client");
    const { grants } = site.deployment.runtime.authorizationServer;
    await grants.end({ projectId: "default", userId: "alice" }, String(claimsOf(tokens.access_token)["gid"]));
    expect((await opened(alice)).text).toContain("Test client");
  });

  test("is not shown for a client that the gateway trusts", async () => {
    client = new TestClient(site.url, "runtime-cli");
    const redirect_uri = "http://127.0.0.1:51000/callback";
    expect(codeIn((await opened(alice, { resource: other, redirect_uri })).url)).toBeTruthy();
    expect((await opened(alice, { resource: gateway, redirect_uri })).text).toContain("Runtime command line");
  });
});

describe("the answer", () => {
  test("no is told to the client", async () => {
    const back = await alice.submit(await opened(alice), "no");
    expect([errorIn(back.url), new URL(back.url).searchParams.get("state"), codeIn(back.url)]).toEqual([
      "access_denied",
      client.state,
      null,
    ]);
  });

  test("counts for the person who gives it", async () => {
    const page = await opened(alice);
    await alice.signIn(site, "bob");
    expect((await alice.submit(page, "yes")).status).toBe(403);
    const again = await alice.open(page.url);
    const back = await alice.submit(again, "yes");
    const tokens = tokensIn(await (await client.exchange(codeIn(back.url) ?? "")).json());
    expect(claimsOf(tokens.access_token)["sub"]).toBe("bob");
  });

  test("of a browser that did not begin it is refused, signed in or not", async () => {
    const page = await opened(alice);
    const bob = await site.browser("bob");
    expect((await bob.open(page.url)).status).toBe(400);
    expect((await bob.submit(page, "yes")).status).toBe(400);
    const back = await alice.submit(page, "yes");
    expect(codeIn(back.url)).toBeTruthy();
  });

  test("in another browser does not give its person's grant to the one that began it", async () => {
    const attacker = await site.browser();
    const { url: signIn } = await attacker.open(client.authorizeUrl({ resource: gateway }));
    const uid = /interaction%2F([\w-]+)/.exec(signIn)?.[1] ?? "";
    expect(uid).not.toBe("");
    await alice.open(`${site.url}/oauth/interaction/${uid}`);
    const back = await attacker.open(`${site.url}/oauth/authorize/${uid}`);
    expect(codeIn(back.url)).toBeNull();
  });

  test("without the token of the session is refused", async () => {
    const page = await opened(alice);
    expect((await alice.submit(page, "yes", { token: "" })).status).toBe(403);
    expect((await alice.submit(page, "yes", { token: "x".repeat(64) })).status).toBe(403);
  });

  test("cannot be given twice", async () => {
    const page = await opened(alice);
    expect(codeIn((await alice.submit(page, "yes")).url)).toBeTruthy();
    expect((await alice.submit(page, "yes")).status).toBe(400);
  });
});

describe("a person who is not signed in", () => {
  test("is sent to the sign-in, with the way back", async () => {
    const stranger = await site.browser();
    const { url } = await stranger.open(client.authorizeUrl({ resource: gateway }));
    const signIn = new URL(url);
    expect([signIn.pathname, signIn.searchParams.get("project")]).toEqual(["/sign-in", "default"]);
    expect(signIn.searchParams.get("to")).toStartWith("/oauth/interaction/");
    await stranger.signIn(site, "alice");
    const page = await stranger.open(signIn.searchParams.get("to") ?? "");
    expect(codeIn((await stranger.submit(page, "yes")).url)).toBeTruthy();
  });

  test("to the project of the gateway is sent there, although signed in to another", async () => {
    const { url } = await opened(alice, { resource: `${site.url}/mcp/apart` });
    expect(new URL(url).searchParams.get("project")).toBe("apart");
  });

  test("gets login_required with prompt=none", async () => {
    const { url } = await opened(alice, { prompt: "none" });
    expect([url.startsWith(REDIRECT), errorIn(url)]).toEqual([true, "login_required"]);
  });
});

test("the service itself allows nothing for a person who may not use the gateway", async () => {
  const { runtime } = site.deployment;
  const page = await opened(alice);
  const request = await runtime.authorizationServer.request(page.url.split("/").at(-1) ?? "");
  if (request === undefined) throw new Error("no request");
  const person = { kind: "user", projectId: "default", userId: "alice", method: "passkey" } as const;
  await runtime.users.suspend(operator(), "alice");
  try {
    await expect(runtime.authorizationServer.allow(request, person)).rejects.toThrow("suspended");
  } finally {
    await runtime.users.resume(operator(), "alice");
  }
});

test("a suspended person is told so, and the client too", async () => {
  const page = await opened(await site.browser("dave"));
  expect(page.status).toBe(200);
  const dave = await site.browser("erin");
  const asked = await opened(dave);
  await site.deployment.runtime.users.suspend(operator(), "erin");
  const after = await dave.submit(asked, "yes");
  expect(codeIn(after.url)).toBeNull();
});
