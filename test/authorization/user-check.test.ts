// How users are verified: the built-in page alone is enough only on a loopback address.
import { describe, expect, test } from "bun:test";
import { isLoopback } from "../../src/base";
import { refusal } from "../connections/executing";
import { agent, deploy } from "../tools/deployment";

describe("loopback is", () => {
  test.each(["localhost", "app.localhost", "127.0.0.1", "127.9.9.9", "[::1]"])("%s", (host) => {
    expect(isLoopback(host)).toBe(true);
  });

  test.each([
    "127.0.0.1.example.com",
    "127.example.com",
    "127.0.0.1.",
    "localhost.example.com",
    "notlocalhost",
    "128.0.0.1",
    "0.0.0.0",
    "10.0.0.1",
    "[::]",
    "[::ffff:7f00:1]",
    "example.com",
  ])("not %s", (host) => {
    expect(isLoopback(host)).toBe(false);
  });
});

async function authorize(environment: Record<string, string>) {
  await using deployment = await deploy({ environment });
  await deployment.addProvider();
  return await deployment.runtime.tools.authorize(agent(), { tool_name: "Test.Call", user_id: "alice" });
}

describe("people who sign in here", () => {
  test.each<[string, Record<string, string>]>([
    ["with passkeys", { RUNTIME_SIGN_IN: "passkey" }],
    ["by a proxy", { RUNTIME_SIGN_IN: "proxy" }],
    [
      "at the OpenID provider",
      { RUNTIME_AUTH_URL: "https://idp.example", RUNTIME_AUTH_CLIENT_ID: "runtime" },
    ],
  ])("%s are verified on a public address", async (_how, environment) => {
    const address = { RUNTIME_PUBLIC_URL: "https://runtime.example" };
    expect(await authorize({ ...address, ...environment })).toMatchObject({ status: "pending" });
  });

  test("are not, if the deployment says so although there is a provider", async () => {
    const environment = {
      RUNTIME_PUBLIC_URL: "https://runtime.example",
      RUNTIME_AUTH_URL: "https://idp.example",
      RUNTIME_AUTH_CLIENT_ID: "runtime",
      RUNTIME_SIGN_IN: "none",
    };
    expect((await refusal(authorize(environment))).name).toBe("invalid_parameter");
  });
});

describe("the built-in page alone", () => {
  test.each<[string, Record<string, string>]>([
    ["where nothing is set", {}],
    ["on a loopback address", { RUNTIME_PUBLIC_URL: "http://localhost:9099" }],
    [
      "on a public address whose operator says so",
      { RUNTIME_PUBLIC_URL: "https://runtime.example", RUNTIME_SESSION_VERIFICATION: "page_only" },
    ],
  ])("is enough %s", async (_name, environment) => {
    expect(await authorize(environment)).toMatchObject({ status: "pending" });
  });

  test.each([
    "https://runtime.example",
    "http://192.168.1.10:9099",
    "https://127.0.0.1.example.com",
    "https://localhost.example.com",
  ])("is not enough on %s: authorize is refused with the settings", async (address) => {
    const refused = await refusal(authorize({ RUNTIME_PUBLIC_URL: address }));

    expect([refused.status, refused.name]).toEqual([400, "invalid_parameter"]);
    for (const word of ["auth.url", "verifier_url", "page_only", "RUNTIME_SESSION_VERIFICATION"]) {
      expect(refused.message).toContain(word);
    }
  });

  test("is not checked if no consent is needed", async () => {
    await using deployment = await deploy({ environment: { RUNTIME_PUBLIC_URL: "https://runtime.example" } });
    await deployment.addProvider();
    await deployment.give("alice");

    const request = { tool_name: "Test.Call", user_id: "alice" };
    expect(await deployment.runtime.tools.authorize(agent(), request)).toMatchObject({ status: "completed" });
  });
});
