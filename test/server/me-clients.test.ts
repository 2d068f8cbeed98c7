// A client that a person has allowed to act, seen and revoked at /me: its tokens end, and those of others go on.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { client as mcpClient } from "../mcp/site";
import {
  Browser,
  type SignInSite,
  startSignInSite,
  TestClient,
  type Tokens,
} from "../people/authorization-server/site";
import { PEOPLE, signInBrowser } from "./person";

let site: SignInSite;
/** The address at which browsers reach the server. */
let own: string;
let gateway: string;
beforeAll(async () => {
  site = await startSignInSite({ environment: PEOPLE });
  await site.tokenGateway("workbench");
  own = site.deployment.runtime.core.publicUrl();
  gateway = `${own}/mcp/workbench`;
});
afterAll(() => site[Symbol.asyncDispose]());

async function allowed(userId: string): Promise<{ browser: Browser; client: TestClient; tokens: Tokens }> {
  const browser = new Browser(own);
  const { cookie } = await signInBrowser({ runtime: site.deployment.runtime, url: own }, userId);
  const [name = "", value = ""] = cookie.split("=", 2);
  browser.cookies.set(name, value);
  const client = await TestClient.register(own);
  return { browser, client, tokens: await client.tokens(browser, gateway) };
}

const statusOf = async ({ access_token: key }: Tokens) =>
  (await mcpClient(gateway, { key }).modern("tools/list")).status;

test("a revoked client can call nothing from the next request on, and gets no new tokens", async () => {
  const alice = await allowed("alice");
  const bob = await allowed("bob");
  expect([await statusOf(alice.tokens), await statusOf(bob.tokens)]).toEqual([200, 200]);

  const page = await alice.browser.open("/me");
  expect(page.text).toContain("Test client at Gateway workbench");
  const [form = ""] =
    /<form[^>]*>(?:(?!<\/form>).)*Revoke Test client(?:(?!<\/form>).)*/.exec(page.text) ?? [];
  const fields = [...form.matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(([, name = "", value = ""]) => [
    name,
    value,
  ]);
  const done = await alice.browser.open("/me", { ...Object.fromEntries(fields), sure: "yes" });

  expect(done.url).toBe(`${own}/me?done=revoked`);
  expect(done.text).toContain("No client acts for you.");
  expect(await statusOf(alice.tokens)).toBe(401);
  expect((await alice.client.refresh(alice.tokens.refresh_token)).status).toBe(400);
  expect(await statusOf(bob.tokens)).toBe(200);
  expect((await bob.client.refresh(bob.tokens.refresh_token)).status).toBe(200);
});

test("when it was used last is shown", async () => {
  const { browser, tokens } = await allowed("carol");
  await statusOf(tokens);
  expect((await browser.open("/me")).text).toMatch(/<dt>Last used<\/dt><dd><time datetime=/);
});
