// Mix-up attacks (RFC 9700, section 4.4): a code of one provider that is brought to the callback of another, and callbacks
// that name another issuer (RFC 9207) or another server of the platform.
import { afterAll, afterEach, beforeEach, expect, test } from "bun:test";
import { recordOf, SECRET } from "../authorization/providers/record";
import { type ProviderSite, startProviderSite } from "../authorization/providers/site";
import { at } from "../support/api";
import { Browser } from "../support/browser";
import { startTokenEndpoint, type TokenEndpoint } from "../support/token-endpoint";
import { printFigure } from "./figure";

const CODE = "code-of-the-honest-provider";
const TOKENS = { body: { access_token: "T", refresh_token: "R" } };

let site: ProviderSite;
let attacker: TokenEndpoint;
let attempts = 0;
let leaked = 0;

beforeEach(async () => {
  site = await startProviderSite();
  attacker = startTokenEndpoint();
  attacker.otherwise(TOKENS);
  site.script({ token: TOKENS });
});
afterEach(async () => {
  attempts++;
  const received = JSON.stringify(attacker.requests);
  leaked += [CODE, SECRET].filter((secret) => received.includes(secret)).length;
  await site[Symbol.asyncDispose]();
  await attacker[Symbol.asyncDispose]();
});
afterAll(() => printFigure("mix-up", `${attempts} attempts, ${leaked} codes or secrets leaked`));

type Changes = Readonly<Record<string, unknown>>;

/** The honest provider `idp` and the attacker's provider `evil`, both in the project. */
async function bothProviders(honest: Changes = {}, evil: Changes = {}): Promise<void> {
  const created = [
    await site.addProvider(recordOf(site.deployment.idp.url, { oauth2: honest })),
    await site.addProvider(
      recordOf(attacker.url, {
        record: { id: "evil" },
        oauth2: { client_secret: "secret-of-evil", ...evil },
      }),
    ),
  ];
  expect(created.map(({ status }) => status)).toEqual([201, 201]);
}

/** Begins a consent at a provider: the user's browser, the state and the redirect address of the provider. */
async function begun(provider: string) {
  const { body } = await site.agent.post("/v1/auth/authorize", {
    auth_requirement: { id: provider, oauth2: { scopes: ["a"] } },
    user_id: "alice",
  });
  const browser = new Browser();
  const opened = await browser.open(String(at(body, "url")));
  const asked = new URL(opened.headers.get("location") ?? "").searchParams;
  return {
    id: String(at(body, "id")),
    browser,
    state: asked.get("state") ?? "",
    callback: asked.get("redirect_uri") ?? "",
  };
}

async function stateOf(id: string): Promise<unknown> {
  return at((await site.agent.get(`/v1/auth/status?id=${id}`)).body, "status");
}

test("each provider has a redirect address of its own", async () => {
  await bothProviders();

  expect((await begun("idp")).callback).not.toBe((await begun("evil")).callback);
});

test("the code of a consent at the honest provider is not accepted at the callback of the other", async () => {
  await bothProviders();
  const honest = await begun("idp");
  const evil = await begun("evil");

  await honest.browser.open(`${evil.callback}?code=${CODE}&state=${honest.state}`);

  expect(attacker.requests).toEqual([]);
  expect(site.sent("token")).toEqual([]);
});

test("the code of the honest provider is not sent to the attacker's server that began the consent", async () => {
  await bothProviders();
  const honest = await begun("idp");
  const evil = await begun("evil");

  // The attacker's authorization endpoint has sent the browser on to the honest provider, with its own state.
  await evil.browser.open(`${honest.callback}?code=${CODE}&state=${evil.state}`);

  expect(attacker.requests).toEqual([]);
  expect(site.sent("token")).toEqual([]);
});

test.each([
  ["of the honest provider", () => site.deployment.idp.url],
  ["with another path", () => `${attacker.url}/tenant`],
  ["with a slash at its end", () => `${attacker.url}/`],
  ["in other letters", () => attacker.url.toUpperCase()],
  ["that is empty", () => ""],
])("an issuer %s in the callback ends the consent, and the code is not exchanged", async (_name, iss) => {
  await bothProviders({}, { issuer: attacker.url });
  const evil = await begun("evil");

  await evil.browser.open(
    `${evil.callback}?code=${CODE}&state=${evil.state}&iss=${encodeURIComponent(iss())}`,
  );

  expect([await stateOf(evil.id), attacker.requests]).toEqual(["failed", []]);
});

test("two issuers in the callback end the consent", async () => {
  await bothProviders({}, { issuer: attacker.url });
  const evil = await begun("evil");
  const iss = `iss=${encodeURIComponent(attacker.url)}&iss=${encodeURIComponent(site.deployment.idp.url)}`;

  await evil.browser.open(`${evil.callback}?code=${CODE}&state=${evil.state}&${iss}`);

  expect(attacker.requests).toEqual([]);
});

test("a callback without an issuer is refused if the provider always names it", async () => {
  const names = { issuer: site.deployment.idp.url, authorization_response_iss_parameter_supported: true };
  await bothProviders(names);
  const honest = await begun("idp");

  await honest.browser.open(`${honest.callback}?code=${CODE}&state=${honest.state}`);

  expect([await stateOf(honest.id), site.sent("token")]).toEqual(["failed", []]);
});

test("positive control: with the right issuer the code is exchanged at the provider's own server", async () => {
  await bothProviders({ issuer: site.deployment.idp.url });
  const honest = await begun("idp");
  const iss = encodeURIComponent(site.deployment.idp.url);

  await honest.browser.open(`${honest.callback}?code=${CODE}&state=${honest.state}&iss=${iss}`);

  expect(site.sent("token").map(({ params }) => params["code"])).toEqual([CODE]);
  expect(attacker.requests).toEqual([]);
});
