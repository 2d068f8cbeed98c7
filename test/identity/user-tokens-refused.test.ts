// Refused user tokens: forged, expired, or with a removed key; and the number of requests to the provider.
import { describe, expect, test } from "bun:test";
import { accessToken, forgeries, issued } from "../interop/oidc/forge";
import { signed } from "../interop/oidc/keys";
import { tokensOf } from "../interop/oidc/sign-in";
import { type OpenIdSite, startOpenIdSite } from "../interop/oidc/site";
import { api, at, call } from "../support/api";

async function statusOf({ site }: OpenIdSite, token: string): Promise<number> {
  return (await api(site.url, token).get("/v1/tools?limit=1")).status;
}

async function reasonOf({ site }: OpenIdSite, token: string): Promise<unknown> {
  const { status, body } = await api(site.url, token).get("/v1/tools?limit=1");
  return [status, at(body, "message")];
}

const KEYS_ASKED = "/jwks";
const asked = ({ provider }: OpenIdSite): number =>
  provider.requests.filter((path) => path === KEYS_ASKED).length;

describe("forged tokens", () => {
  test("are all refused, and do not appear in answers and logs", async () => {
    await using deployment = await startOpenIdSite();
    const { site, provider, audience } = deployment;
    const served: string[] = [];

    for (const [name, token] of forgeries(provider, audience)) {
      const answer = await call(site.url, { method: "GET", path: "/v1/tools?limit=1", key: token });
      if (answer.status !== 401) served.push(name);
      expect([name, at(answer.body, "name")]).toEqual([name, "invalid_authorization"]);
      expect(answer.text).not.toContain(token);
      expect(site.logLines.join("\n")).not.toContain(token);
    }
    expect(served).toEqual([]);
    expect(await statusOf(deployment, issued(provider, audience))).toBe(200);
  });

  test.each<[string, Parameters<typeof accessToken>[2], string]>([
    ["another type", { header: { typ: "JWT" } }, "its typ is not at+jwt"],
    ["no type", { header: { typ: undefined } }, "its typ is not at+jwt"],
    ["no id", { claims: { jti: undefined } }, "it has no jti"],
    ["no client", { claims: { client_id: undefined } }, "it has no client_id"],
  ])(
    "one of %s is told what it lacks: its provider can be set to give it",
    async (_what, changes, reason) => {
      await using deployment = await startOpenIdSite();
      const { provider, audience, site } = deployment;
      const key = signed(accessToken(provider, audience, changes), provider.key);
      const answer = await call(site.url, { method: "GET", path: "/v1/tools?limit=1", key });
      expect([answer.status, String(at(answer.body, "message"))]).toEqual([
        401,
        expect.stringContaining(reason),
      ]);
    },
  );

  test("an ID token of the certified provider is refused, and so is an opaque access token", async () => {
    await using deployment = await startOpenIdSite();
    const { provider, audience } = deployment;
    const { id_token, refresh_token } = await tokensOf(provider, "alice", audience);

    expect(await reasonOf(deployment, id_token)).toEqual([
      401,
      "The user token was refused: it is not an access token as of RFC 9068: its typ is not at+jwt.",
    ]);
    expect(await statusOf(deployment, refresh_token ?? "")).toBe(401);
  });

  test("a deployment without auth.url does not accept user tokens", async () => {
    await using deployment = await startOpenIdSite();
    await using without = await startOpenIdSite({ authUrl: () => undefined });

    const token = issued(deployment.provider, without.audience);
    expect(await reasonOf(without, token)).toEqual([
      401,
      "This server does not accept user tokens: auth.url is not set.",
    ]);
  });
});

describe("clock skew [fault: clock-ahead]", () => {
  test.each<[string, object, number]>([
    ["began in 20 s", { iat: 20, nbf: 20 }, 200],
    ["was issued in 20 s", { iat: 20 }, 200],
    ["began in 10 min", { iat: 600, nbf: 600 }, 401],
    ["begins in 10 min", { nbf: 600 }, 401],
    ["was issued in 10 min", { iat: 600 }, 401],
    ["was issued in 40 s", { iat: 40 }, 401],
    ["begins in 40 s", { nbf: 40 }, 401],
    ["ended 20 s ago", { iat: -600, exp: -20 }, 200],
    ["ended 40 s ago", { iat: -600, exp: -40 }, 401],
    ["ended 10 min ago", { iat: -6000, exp: -600 }, 401],
  ])("a token that %s: %j → %i", async (_name, offsets, status) => {
    await using deployment = await startOpenIdSite();
    const { provider, audience } = deployment;
    const now = Math.floor(Date.now() / 1000);
    const claims = Object.fromEntries(Object.entries(offsets).map(([name, offset]) => [name, now + offset]));

    const seen = await reasonOf(deployment, issued(provider, audience, claims));
    const refused = "The user token was refused: it has expired or is not valid yet.";
    expect(seen).toEqual(status === 200 ? [200, undefined] : [401, refused]);
  });

  test("a cached token expires like any other", async () => {
    await using deployment = await startOpenIdSite();
    const { provider, audience, clock } = deployment;
    const exp = Math.floor(Date.now() / 1000) + 20;
    const token = issued(provider, audience, { exp });

    const before = await statusOf(deployment, token);
    clock.move(45_000);
    const inLeeway = await statusOf(deployment, token);
    clock.move(10_000);
    expect([before, inLeeway, await statusOf(deployment, token)]).toEqual([200, 200, 401]);
  });
});

describe("the provider's keys", () => {
  test("are loaded once for 100 requests with the same token and 100 with different ones, concurrent and sequential", async () => {
    await using deployment = await startOpenIdSite();
    const { provider, audience } = deployment;
    const token = issued(provider, audience);
    const many = Array.from({ length: 100 }, () => issued(provider, audience));

    const statuses = await Promise.all(
      [...many, ...many.map(() => token)].map((one) => statusOf(deployment, one)),
    );
    for (let count = 0; count < 100; count++) statuses.push(await statusOf(deployment, token));

    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    expect(asked(deployment)).toBe(1);
    expect(provider.requests.filter((path) => path.includes(".well-known"))).toHaveLength(1);
  });

  test("can be added without a restart, and the old ones still work", async () => {
    await using deployment = await startOpenIdSite();
    const { provider, audience, clock } = deployment;
    const { access_token: before } = await tokensOf(provider, "alice", audience);
    expect(await statusOf(deployment, before)).toBe(200);
    clock.move(6000);
    provider.rotate("kept");
    const { access_token: after } = await tokensOf(provider, "alice", audience);

    expect([await statusOf(deployment, after), await statusOf(deployment, before)]).toEqual([200, 200]);
    expect(asked(deployment)).toBe(2);
  });

  test.each([
    ["at once after the keys were asked for", 0],
    ["just before they are asked for again", 59_000],
  ])("stop working within 60 s after removal if the token was last used %s", async (_name, later) => {
    await using deployment = await startOpenIdSite();
    const { provider, audience, clock } = deployment;
    const [warming, token] = [issued(provider, audience), issued(provider, audience)];
    await statusOf(deployment, warming);
    provider.rotate("removed");
    clock.move(later);
    // The removal is not visible yet.
    expect(await statusOf(deployment, token)).toBe(200);
    clock.move(60_000 - later);

    expect(await reasonOf(deployment, token)).toEqual([
      401,
      "The user token was refused: its signing key is not among the keys of the provider.",
    ]);
    expect(await statusOf(deployment, issued(provider, audience))).toBe(200);
  });

  test("stop working within 60 s after removal, also if the clock is set back", async () => {
    await using deployment = await startOpenIdSite();
    const { provider, audience, clock } = deployment;
    const iat = Math.floor(clock.now() / 1000);
    const [seen, unseen] = ["seen", "unseen"].map((jti) =>
      signed(accessToken(provider, audience, { claims: { iat, exp: iat + 6 * 3600, jti } }), provider.key),
    );
    clock.move(2 * 3600_000);
    expect(await statusOf(deployment, seen ?? "")).toBe(200);
    clock.move(-2 * 3600_000);
    provider.rotate("removed");
    clock.move(60_000);

    expect([await statusOf(deployment, seen ?? ""), await statusOf(deployment, unseen ?? "")]).toEqual([
      401, 401,
    ]);
  });

  test("that are new work immediately for many concurrent requests", async () => {
    await using deployment = await startOpenIdSite();
    const { provider, audience, clock } = deployment;
    await statusOf(deployment, issued(provider, audience));
    clock.move(6000);
    provider.rotate("removed");

    const many = Array.from({ length: 50 }, () => issued(provider, audience));
    const statuses = await Promise.all(many.map((token) => statusOf(deployment, token)));
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    expect(asked(deployment)).toBe(2);
  });

  test("are not loaded again for every token with an unknown key", async () => {
    await using deployment = await startOpenIdSite();
    const { provider, audience } = deployment;
    await statusOf(deployment, issued(provider, audience));
    const unknown = (index: number): string =>
      signed(accessToken(provider, audience, { header: { kid: `unknown-${index}` } }), provider.key);

    const statuses = await Promise.all(
      Array.from({ length: 40 }, (_, index) => statusOf(deployment, unknown(index))),
    );
    expect(new Set(statuses)).toEqual(new Set([401]));
    expect(asked(deployment)).toBeLessThanOrEqual(2);
  });
});

describe("a provider that is down", () => {
  test("at the start: 401 with the reason, and tokens work as soon as it is back", async () => {
    await using deployment = await startOpenIdSite();
    const { site, provider, audience } = deployment;
    const token = issued(provider, audience);
    provider.down = true;
    const reason =
      "The user token was refused: the OpenID provider (auth.url) cannot be reached; try again later.";

    expect(await reasonOf(deployment, token)).toEqual([401, reason]);
    const key = await site.key("run");
    expect(await statusOf(deployment, key)).toBe(200);
    provider.down = false;
    expect(await statusOf(deployment, token)).toBe(200);
  });

  test("later: a cached token works for a minute, and others are 401 until it is back", async () => {
    await using deployment = await startOpenIdSite();
    const { provider, audience, clock } = deployment;
    const token = issued(provider, audience);
    await statusOf(deployment, token);
    provider.down = true;
    clock.move(59_000);
    const within = await statusOf(deployment, token);
    clock.move(2000);
    const after = await statusOf(deployment, token);
    provider.down = false;

    expect([within, after, await statusOf(deployment, token)]).toEqual([200, 401, 200]);
  });
});

describe("the issuer in the discovery document [fault: issuer-template]", () => {
  test.each<[string, string, string]>([
    ["with a path", "/tenant", ""],
    ["with a slash more in auth.url", "/tenant", "/"],
    ["with a slash more in auth.url, without path", "", "/"],
  ])("is accepted %s", async (_name, path, slash) => {
    await using deployment = await startOpenIdSite({ path, authUrl: ({ address }) => address + slash });

    expect(await reasonOf(deployment, issued(deployment.provider, deployment.audience))).toEqual([
      200,
      undefined,
    ]);
  });

  test.each([
    ["is another tenant's", "http://127.0.0.1:9/other"],
    ["is a template", "http://127.0.0.1:9/%7Btenantid%7D"],
    ["is another host", "https://idp.example"],
  ])("and %s: no token is accepted", async (_name, claimedIssuer) => {
    await using deployment = await startOpenIdSite({ claimedIssuer });

    expect(await reasonOf(deployment, issued(deployment.provider, deployment.audience))).toEqual([
      401,
      "The user token was refused: the metadata of the OpenID provider at auth.url has another issuer.",
    ]);
    expect(asked(deployment)).toBe(0);
  });
});
