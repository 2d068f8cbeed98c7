// Behind a proxy with TLS and a path: every address that leaves the server is below `public_url`, and cookies are `__Host-`.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startMcpSite, type McpSite } from "../../mcp/site";
import { at } from "../../support/api";
import { form, registration, TestClient, textAt } from "./site";

const PUBLIC = "https://runtime.example.com/base";

let site: McpSite;
beforeAll(async () => {
  site = await startMcpSite({ environment: { RUNTIME_SIGN_IN: "passkey", RUNTIME_PUBLIC_URL: PUBLIC } });
  await site.gateway("workbench", { auth_type: "arcade" });
});
afterAll(() => site[Symbol.asyncDispose]());

test("the metadata is at both places of RFC 8414, with addresses below the issuer", async () => {
  for (const path of [
    "/.well-known/oauth-authorization-server",
    "/.well-known/oauth-authorization-server/base",
  ]) {
    const metadata = await (await fetch(site.url + path)).json();
    expect(textAt(metadata, "issuer")).toBe(PUBLIC);
    expect(textAt(metadata, "token_endpoint")).toBe(`${PUBLIC}/oauth/token`);
  }
  const resource = await (
    await fetch(`${site.url}/.well-known/oauth-protected-resource/base/mcp/workbench`)
  ).json();
  expect(resource).toMatchObject({
    resource: `${PUBLIC}/mcp/workbench`,
    authorization_servers: [PUBLIC],
  });
});

test("a browser is sent to addresses below it, with a cookie that no other host can set", async () => {
  const client = new TestClient(site.url, textAt(await (await registration(site.url)).json(), "client_id"));
  const url = client.authorizeUrl({ resource: `${PUBLIC}/mcp/workbench` });
  const answer = await fetch(url, { redirect: "manual" });
  const location = answer.headers.get("location") ?? "";
  expect(location).toStartWith(`${PUBLIC}/oauth/interaction/`);
  const [cookie = ""] = answer.headers.getSetCookie();
  expect(cookie).toStartWith("__Host-runtime_oauth_");
  for (const attribute of ["Path=/", "Secure", "HttpOnly", "SameSite=Lax"])
    expect(cookie).toContain(attribute);
  expect(answer.headers.getSetCookie().length).toBe(1);
  const interaction = new URL(location).pathname.replace("/base", "");
  const page = await fetch(site.url + interaction, {
    redirect: "manual",
    headers: { cookie: cookie.split(";")[0] ?? "" },
  });
  expect(page.headers.get("location")).toStartWith(`${PUBLIC}/sign-in?`);
});

test("a device is told an address below it", async () => {
  const begun = await (await form(`${site.url}/oauth/device`, { client_id: "runtime-cli" })).json();
  expect(at(begun, "verification_uri")).toBe(`${PUBLIC}/device`);
});
