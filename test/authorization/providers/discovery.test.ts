// With an invalid or unreachable issuer, creating a record is 400 with the field.
import { describe, expect, test } from "bun:test";
import { at } from "../../support/api";
import { startTokenEndpoint, type TokenAnswer } from "../../support/token-endpoint";
import { startProvider } from "./openid-site";
import { startProviderSite } from "./site";

const SECRET = "secret-of-the-record";

/** What the creation of a record of this issuer is answered. */
async function refusedFor(issuer: string): Promise<{ status: number; message: string; text: string }> {
  await using site = await startProviderSite();
  const oauth2 = { client_id: "c", client_secret: SECRET, issuer };
  const { status, body, text } = await site.addProvider({ id: "idp", oauth2 });
  const { status: after } = await site.admin.get("/v1/admin/auth_providers/idp");
  expect(after).toBe(404);
  expect(site.deployment.logLines.join("\n")).not.toContain(SECRET);
  return { status, message: String(at(body, "message")), text };
}

function naming(message: string, why: string): void {
  expect(message).toContain("oauth2.issuer");
  expect(message).toContain(why);
}

describe("an issuer whose metadata", () => {
  const metadata = (url: string) => ({
    issuer: url,
    authorization_endpoint: `${url}/auth`,
    token_endpoint: `${url}/token`,
  });
  const answers: [string, (url: string) => TokenAnswer, string][] = [
    ["is that of another issuer", (url) => ({ body: metadata(`${url}/other`) }), "another issuer"],
    [
      "has a template for an issuer",
      (url) => ({ body: metadata(`${url}/{tenantid}/v2.0`) }),
      "another issuer",
    ],
    ["is not JSON", () => ({ type: "text/html", body: "<html>" }), "not valid"],
    ["is half of JSON", () => ({ type: "application/json", body: '{"issuer":' }), "not valid"],
    ["is a list", () => ({ type: "application/json", body: "[]" }), "not valid"],
    ["is huge", (url) => ({ body: { ...metadata(url), more: "x".repeat(1_100_000) } }), "cannot be fetched"],
    ["is not there", () => ({ status: 404, body: "no" }), "not valid"],
    ["is elsewhere", () => ({ status: 302, headers: { location: "/x" } }), "cannot be fetched"],
    ["breaks off", () => ({ resets: true }), "cannot be fetched"],
    ["names no endpoints", (url) => ({ body: { issuer: url } }), "has no authorization or token endpoint"],
  ];

  test.each(answers)("%s is refused", async (_name, answer, why) => {
    await using idp = startTokenEndpoint();
    idp.otherwise(answer(idp.url));
    const { status, message } = await refusedFor(idp.url);

    expect(status).toBe(400);
    naming(message, why);
  });

  test("names endpoints that may not be called is refused with their fields", async () => {
    await using idp = startTokenEndpoint();
    const { url } = idp;
    idp.otherwise({ body: { ...metadata(url), token_endpoint: "http://public.example/token" } });
    const { status, message } = await refusedFor(url);

    expect([status, message]).toEqual([400, expect.stringContaining("oauth2.token_request.endpoint")]);
  });

  test("cannot be loaded is refused", async () => {
    const idp = startTokenEndpoint();
    await idp[Symbol.asyncDispose]();
    const { status, message } = await refusedFor(idp.url);

    expect(status).toBe(400);
    naming(message, "cannot be fetched");
  });

  test("of a certified provider calls itself otherwise is refused", async () => {
    await using provider = await startProvider({ claimedIssuer: "http://127.0.0.1:9/elsewhere" });
    const { status, message } = await refusedFor(provider.address);

    expect(status).toBe(400);
    naming(message, "another issuer");
  });
});

describe("an issuer that is", () => {
  test.each([
    ["no address", "idp.example"],
    ["of another scheme", "ftp://idp.example"],
    ["code", "javascript:alert(1)"],
    ["plain http in public", "http://idp.example"],
    ["an address with a password", "https://user:password@idp.example"],
    ["an address that the policy refuses", "http://10.1.2.3"],
  ])("%s is refused", async (_name, issuer) => {
    const { status, message, text } = await refusedFor(issuer);

    expect(status).toBe(400);
    naming(message, "");
    expect(text).not.toContain("password@");
  });
});
