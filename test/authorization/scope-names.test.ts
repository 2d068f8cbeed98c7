// Scopes that a provider renames, omits or adds: requirements, authorize and execute agree.
import { describe, expect, test } from "bun:test";
import { api, at } from "../support/api";
import { Browser } from "../support/browser";
import { type Site, startSite } from "../support/site";
import { startTokenEndpoint } from "../support/token-endpoint";

const LONG = "https://www.googleapis.com/auth/userinfo";
const DRIVE_FILE = "https://www.googleapis.com/auth/drive.file";
const WHO_AM_I = { tool_name: "Sheets.WhoAmI", user_id: "alice" };

/** The spreadsheet provider, which answers every code with this `scope`. */
async function granting(scope: string | undefined) {
  const idp = startTokenEndpoint();
  const platform = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    development: false,
    fetch: () => Response.json({ sub: "1", user: {} }),
  });
  const url = `http://127.0.0.1:${platform.port}`;
  const site = await startSite({
    environment: { RUNTIME_DRIVE_API_URL: url, RUNTIME_USERINFO_URL: `${url}/userinfo` },
  });
  const admin = api(site.url, await site.key("admin"));
  const endpoint = `${idp.url}/token`;
  await admin.post("/v1/admin/auth_providers", {
    id: "google",
    provider_id: "google",
    oauth2: {
      client_id: "1-client.apps.googleusercontent.com",
      client_secret: "secret",
      authorize_request: { endpoint: `${idp.url}/authorize` },
      token_request: { endpoint },
      refresh_request: { endpoint },
    },
  });
  idp.otherwise({ body: { access_token: "T", refresh_token: "R", expires_in: 3600, scope } });
  return {
    site,
    admin,
    [Symbol.asyncDispose]: async () => {
      await site[Symbol.asyncDispose]();
      await platform.stop(true);
      await idp[Symbol.asyncDispose]();
    },
  };
}

async function consent({ url }: Site, address: unknown): Promise<void> {
  const browser = new Browser();
  const provider = new URL((await browser.open(String(address))).headers.get("location") ?? "");
  const callback = new URL(provider.searchParams.get("redirect_uri") ?? "");
  callback.searchParams.set("state", provider.searchParams.get("state") ?? "");
  callback.searchParams.set("code", "code");
  await browser.answer(await browser.open(callback.href), url, "yes");
}

describe("asked for email and offline_access, a provider answers", () => {
  const wish = {
    auth_requirement: { id: "google", oauth2: { scopes: ["email", "offline_access"] } },
    user_id: "alice",
  };

  test.each([
    ["the long name and openid", `${LONG}.email openid`],
    ["the long name alone", `${LONG}.email`],
    ["the short name and others besides", "openid email profile"],
    ["nothing on scopes", undefined],
  ])("%s: completed, and no second consent is needed [fault: renamed-scopes]", async (_name, scope) => {
    await using deployment = await granting(scope);
    const { site, admin } = deployment;
    const started = await admin.post("/v1/auth/authorize", wish);
    await consent(site, at(started.body, "url"));

    const ended = await admin.get(`/v1/auth/status?id=${String(at(started.body, "id"))}`);
    expect(at(ended.body, "status")).toBe("completed");
    expect(at((await admin.post("/v1/auth/authorize", wish)).body, "status")).toBe("completed");
  });

  test.each([
    ["another scope", `${LONG}.profile openid`],
    ["the long name in other letters", `${LONG}.Email`],
  ])("%s: failed because of email, and another consent is needed", async (_name, scope) => {
    await using deployment = await granting(scope);
    const { site, admin } = deployment;
    const started = await admin.post("/v1/auth/authorize", wish);
    await consent(site, at(started.body, "url"));

    const ended = await admin.get(`/v1/auth/status?id=${String(at(started.body, "id"))}`);
    expect([at(ended.body, "status"), at(ended.body, "status_reason")]).toEqual([
      "failed",
      "the user did not grant email",
    ]);
    expect(at((await admin.post("/v1/auth/authorize", wish)).body, "status")).toBe("pending");
  });
});

test.each([
  ["short names and openid", `${DRIVE_FILE} email profile openid`],
  ["long names", `${LONG}.email ${LONG}.profile ${DRIVE_FILE}`],
])(
  "a tool that needs long names is granted %s: requirements, authorize and execute agree [fault: renamed-scopes]",
  async (_name, scope) => {
    await using deployment = await granting(scope);
    const { site, admin } = deployment;
    const started = await admin.post("/v1/tools/authorize", WHO_AM_I);
    await consent(site, at(started.body, "url"));

    const body = { tool_names: [WHO_AM_I.tool_name], user_id: "alice" };
    const requirements = await admin.post("/v1/tools/requirements", body);
    const again = await admin.post("/v1/tools/authorize", WHO_AM_I);
    const executed = await admin.post("/v1/tools/execute", WHO_AM_I);
    expect(at(requirements.body, "authorization.items.google.met")).toBe(true);
    expect(at(again.body, "status")).toBe("completed");
    expect([executed.status, at(executed.body, "success")]).toEqual([200, true]);
  },
);
