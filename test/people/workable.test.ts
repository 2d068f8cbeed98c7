// A server whose sign-in cannot work does not start.
import { describe, expect, test } from "bun:test";
import { canUsePasskeys } from "../../src/people";
import { startSite } from "../support/site";

const refusalOf = (environment: Record<string, string>): Promise<string> =>
  startSite({ environment }).then(
    async (site) => {
      await site[Symbol.asyncDispose]();
      return "started";
    },
    (error: unknown) => (error instanceof Error ? error.message : ""),
  );

const OIDC = { RUNTIME_SIGN_IN: "oidc" };
const PASSKEY = { RUNTIME_SIGN_IN: "passkey", RUNTIME_BEHIND_PROXY: "true" };

describe("a server does not start", () => {
  test.each<[string, Record<string, string>, string[]]>([
    ["with oidc and no provider", OIDC, ["auth.url and auth.client_id are not set"]],
    [
      "with oidc and no client",
      { ...OIDC, RUNTIME_AUTH_URL: "https://idp.example" },
      ["auth.client_id is not set"],
    ],
    ["with proxy and no trusted proxy", { RUNTIME_SIGN_IN: "proxy" }, ["http.trusted_proxies"]],
    [
      "with passkey on a name without TLS",
      { ...PASSKEY, RUNTIME_PUBLIC_URL: "http://runtime.example" },
      ["plain http", "public_url"],
    ],
  ])("%s, and says what to set", async (_what, environment, words) => {
    const refusal = await refusalOf(environment);
    for (const word of words) expect(refusal).toContain(word);
  });
});

describe("a server starts", () => {
  test.each<[string, Record<string, string>]>([
    ["with passkey on loopback", PASSKEY],
    ["with passkey on https with a name", { ...PASSKEY, RUNTIME_PUBLIC_URL: "https://runtime.example" }],
    ["with none", { RUNTIME_SIGN_IN: "none", RUNTIME_AUTH_URL: "https://idp.example" }],
    [
      "although the provider cannot be reached",
      { ...OIDC, RUNTIME_AUTH_URL: "http://127.0.0.1:9", RUNTIME_AUTH_CLIENT_ID: "runtime" },
    ],
  ])("%s", async (_what, environment) => {
    expect(await refusalOf(environment)).toBe("started");
  });

  test("with passkey on an IP address, and says that one-time links work", async () => {
    await using site = await startSite({
      environment: { ...PASSKEY, RUNTIME_PUBLIC_URL: "https://192.0.2.1" },
    });
    expect(site.logLines.join("\n")).toContain("runtime users invite");
  });

  test("with a project whose own method cannot work, with a warning, and its page says what is missing", async () => {
    await using before = await startSite();
    const { identity } = before.runtime;
    const operator = await identity.operator("default");
    await identity.createProject(operator, "sales", "Sales");
    await identity.projects.update(operator, "sales", { sign_in: "oidc" });
    await using site = await startSite({ folder: before.folder });
    const page = await fetch(`${site.url}/sign-in?project=sales`);

    expect([page.status, await page.text()]).toEqual([503, expect.stringContaining("auth.client_id")]);
    expect(site.logLines.join("\n")).toContain("people cannot sign in");
  });
});

test.each([
  ["https://runtime.example", true],
  ["http://localhost:9099", true],
  ["http://127.0.0.1:9099", true],
  ["http://runtime.example", false],
  ["https://192.0.2.1", false],
  ["https://[2001:db8::1]", false],
])("passkeys at %s: %p", (address, works) => {
  expect(canUsePasskeys(address)).toBe(works);
});
