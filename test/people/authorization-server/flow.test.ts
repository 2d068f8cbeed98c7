// From a bare address to a tool call: a client finds the authorization server, registers, sends the person to the browser, and
// gets tokens for one gateway.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { client as mcpClient } from "../../mcp/site";
import { claimsOf, type SignInSite, startSignInSite, TestClient, tokensIn } from "./site";

let site: SignInSite;
let gateway: string;
beforeAll(async () => {
  site = await startSignInSite();
  gateway = await site.tokenGateway("workbench");
});
afterAll(() => site[Symbol.asyncDispose]());

test("a client without anything gets to a tool call", async () => {
  const refused = await fetch(gateway, { method: "POST" });
  const [, metadataUrl = ""] =
    /resource_metadata="([^"]+)"/.exec(refused.headers.get("www-authenticate") ?? "") ?? [];
  const resource = await (await fetch(metadataUrl)).json();
  expect(resource).toMatchObject({ resource: gateway, authorization_servers: [site.url] });
  const metadata = await (await fetch(`${site.url}/.well-known/oauth-authorization-server`)).json();
  expect(metadata).toMatchObject({ issuer: site.url, authorization_endpoint: `${site.url}/oauth/authorize` });
  const client = await TestClient.register(site.url);
  const browser = await site.browser("alice");
  const page = await browser.open(client.authorizeUrl({ resource: gateway }));
  expect(page.text).toContain("Test client");
  const back = await browser.submit(page, "yes");
  const answer = new URL(back.url).searchParams;
  expect([answer.get("state"), answer.get("iss")]).toEqual([client.state, site.url]);
  const response = await client.exchange(answer.get("code") ?? "");
  const tokens = tokensIn(await response.json());
  expect(tokens).toMatchObject({ token_type: "Bearer", expires_in: 600, scope: "mcp" });
  expect(claimsOf(tokens.access_token)).toMatchObject({
    iss: site.url,
    sub: "alice",
    aud: gateway,
    project_id: "default",
  });
  const listed = await mcpClient(gateway, { key: tokens.access_token }).modern("tools/list");
  expect([listed.status, listed.text]).toEqual([200, expect.stringContaining("tools")]);
});
