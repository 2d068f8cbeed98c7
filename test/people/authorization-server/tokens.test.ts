// What a client may do with codes and tokens, how long they work, and what ends them.
import { afterAll, beforeAll, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { at } from "../../support/api";
import { client as mcpClient } from "../../mcp/site";
import { query } from "../../../src/store";
import { operator } from "../../tools/deployment";
import { type Browser, claimsOf, form, type SignInSite, startSignInSite, TestClient, tokensIn } from "./site";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let site: SignInSite;
let gateway: string;
let other: string;
let client: TestClient;
let alice: Browser;
beforeAll(async () => {
  site = await startSignInSite({
    environment: { RUNTIME_SESSIONS_LIFETIME: "31536000", RUNTIME_SESSIONS_IDLE: "31536000" },
  });
  gateway = await site.tokenGateway("workbench");
  other = await site.tokenGateway("second");
});
beforeEach(async () => {
  client = await TestClient.register(site.url);
  alice = await site.browser("alice");
});
afterAll(() => site[Symbol.asyncDispose]());

const statusAt = async (address: string, key: string): Promise<number> =>
  (await mcpClient(address, { key }).modern("tools/list")).status;
const errorOf = async (answer: Response): Promise<unknown> => [
  answer.status,
  at(await answer.json(), "error"),
];
const grants = () => site.deployment.runtime.authorizationServer.grants;

describe("an authorization code", () => {
  test("works once, and a second use ends the tokens of the first", async () => {
    const code = await client.code(alice, gateway);
    const tokens = tokensIn(await (await client.exchange(code)).json());
    expect(await statusAt(gateway, tokens.access_token)).toBe(200);
    expect(await errorOf(await client.exchange(code))).toEqual([400, "invalid_grant"]);
    expect(await statusAt(gateway, tokens.access_token)).toBe(401);
    expect(await errorOf(await client.refresh(tokens.refresh_token))).toEqual([400, "invalid_grant"]);
  });

  test("gives tokens to one of many requests at the same time", async () => {
    const code = await client.code(alice, gateway);
    const answers = await Promise.all(Array.from({ length: 8 }, () => client.exchange(code)));
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
  });

  test("is consumed once, although two requests have read it", async () => {
    const code = await client.code(alice, gateway);
    const { store } = site.deployment.runtime.core;
    // Both have read it before one of them is stored.
    const write = store.write.bind(store);
    const both = Promise.withResolvers<void>();
    let waiting = 0;
    const spied = spyOn(store, "write").mockImplementation(async (body, options) => {
      if (++waiting === 2) both.resolve();
      await both.promise;
      return write(body, options);
    });
    const answers = await Promise.all([client.exchange(code), client.exchange(code)]);
    spied.mockRestore();
    const [first, second] = answers.toSorted((one, other) => one.status - other.status);
    expect(await errorOf(second ?? new Response())).toEqual([400, "invalid_grant"]);

    // The tokens of a code that was used twice have ended.
    const tokens = tokensIn(await first?.json());
    expect([first?.status, await statusAt(gateway, tokens.access_token)]).toEqual([200, 401]);
  });

  test.each([
    ["another verifier", { code_verifier: "x".repeat(43) }],
    ["no verifier", { code_verifier: "" }],
    ["another address", { redirect_uri: "http://127.0.0.1:33418/other" }],
    ["another client", { client_id: "runtime-cli" }],
  ])("is refused with %s", async (_what, changed) => {
    const code = await client.code(alice, gateway);
    expect((await client.exchange(code, changed)).status).toBe(400);
  });

  test("expires after a minute", async () => {
    const code = await client.code(alice, gateway);
    site.deployment.clock.move(MINUTE);
    expect(await errorOf(await client.exchange(code))).toEqual([400, "invalid_grant"]);
  });
});

describe("a refresh that is refused", () => {
  test.each([
    ["of another gateway", () => other],
    ["of an unknown gateway", () => "https://nowhere.example/mcp"],
  ])("for a token %s uses nothing up", async (_which, resource) => {
    const { refresh_token } = await client.tokens(alice, gateway);
    const refused = await client.refresh(refresh_token, { resource: resource() });
    expect(await errorOf(refused)).toEqual([400, "invalid_target"]);

    expect((await client.refresh(refresh_token, { resource: gateway })).status).toBe(200);
  });
});

describe("an access token", () => {
  test("is for one gateway, and not for the API", async () => {
    const { access_token: token } = await client.tokens(alice, gateway);
    expect([await statusAt(gateway, token), await statusAt(other, token)]).toEqual([200, 401]);
    const answer = await fetch(`${site.url}/v1/tools`, { headers: { authorization: `Bearer ${token}` } });
    expect(answer.status).toBe(401);
  });

  test("expires after ten minutes", async () => {
    const { access_token: token, expires_in } = await client.tokens(alice, gateway);
    const { exp, iat } = claimsOf(token);
    expect([expires_in, Number(exp) - Number(iat)]).toEqual([600, 600]);
    site.deployment.clock.move(10 * MINUTE);
    expect(await statusAt(gateway, token)).toBe(401);
  });

  test("ends with what the person had allowed", async () => {
    const tokens = await client.tokens(alice, gateway);
    const grant = String(claimsOf(tokens.access_token)["gid"]);
    expect(await grants().end({ projectId: "default", userId: "bob" }, grant)).toBe(false);
    expect(await statusAt(gateway, tokens.access_token)).toBe(200);
    expect(await grants().end({ projectId: "default", userId: "alice" }, grant)).toBe(true);
    expect(await statusAt(gateway, tokens.access_token)).toBe(401);
    expect(await errorOf(await client.refresh(tokens.refresh_token))).toEqual([400, "invalid_grant"]);
  });

  test("is refused for a suspended person, who gets no others", async () => {
    const carol = await site.browser("carol");
    const tokens = await client.tokens(carol, gateway);
    await site.deployment.runtime.users.suspend(operator("default"), "carol");
    expect(await statusAt(gateway, tokens.access_token)).toBeGreaterThanOrEqual(401);
    expect((await client.refresh(tokens.refresh_token)).status).toBe(400);
  });
});

describe("a refresh token", () => {
  test("is replaced by each use, and the use of an old one ends all of them", async () => {
    const first = await client.tokens(alice, gateway);
    const second = tokensIn(await (await client.refresh(first.refresh_token)).json());
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(await statusAt(gateway, second.access_token)).toBe(200);
    expect(await errorOf(await client.refresh(first.refresh_token))).toEqual([400, "invalid_grant"]);
    expect(await errorOf(await client.refresh(second.refresh_token))).toEqual([400, "invalid_grant"]);
    expect(await statusAt(gateway, second.access_token)).toBe(401);
    expect(await statusAt(gateway, first.access_token)).toBe(401);
  });

  test("of another sign-in of the client goes on", async () => {
    const [one, two] = [await client.tokens(alice, gateway), await client.tokens(alice, gateway)];
    await client.refresh(one.refresh_token);
    await client.refresh(one.refresh_token);
    expect((await client.refresh(two.refresh_token)).status).toBe(200);
  });

  test("works for thirty days without a use, and longer with uses", async () => {
    let tokens = await client.tokens(alice, gateway);
    for (let uses = 0; uses < 3; uses++) {
      site.deployment.clock.move(29 * DAY);
      tokens = tokensIn(await (await client.refresh(tokens.refresh_token)).json());
      expect(tokens.refresh_token).not.toBe("");
    }
    site.deployment.clock.move(30 * DAY);
    expect(await errorOf(await client.refresh(tokens.refresh_token))).toEqual([400, "invalid_grant"]);
  });

  test("gives no token for another gateway", async () => {
    const tokens = await client.tokens(alice, gateway);
    const answer = await client.refresh(tokens.refresh_token, { resource: other });
    expect(await errorOf(answer)).toEqual([400, "invalid_target"]);
  });

  test("is not given to a client without the grant type", async () => {
    client = await TestClient.register(site.url, { grant_types: ["authorization_code"] });
    expect((await client.tokens(alice, gateway)).refresh_token).toBe("");
  });

  test("that the client revokes ends its tokens", async () => {
    const tokens = await client.tokens(alice, gateway);
    const thief = await TestClient.register(site.url);
    const revoke = (id: string) =>
      form(`${site.url}/oauth/revoke`, { client_id: id, token: tokens.refresh_token });
    expect((await revoke(thief.id)).status).toBe(200);
    expect(await statusAt(gateway, tokens.access_token)).toBe(200);
    expect((await revoke(client.id)).status).toBe(200);
    expect(await statusAt(gateway, tokens.access_token)).toBe(401);
    expect(await errorOf(await client.refresh(tokens.refresh_token))).toEqual([400, "invalid_grant"]);
  });
});

test("nothing that is stored for a client lacks an end", async () => {
  await client.tokens(alice, gateway);
  const { store } = site.deployment.runtime.core;
  const rows = await store.all(
    query<{ expires_at: number | null }>(
      "SELECT expires_at FROM oauth_items WHERE kind <> 'InstallationSecret'",
    ),
  );
  expect(rows.length).toBeGreaterThan(2);
  expect(rows.filter(({ expires_at }) => expires_at === null)).toEqual([]);
});
