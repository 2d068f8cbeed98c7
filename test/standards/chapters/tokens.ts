// Bearer tokens and their form: RFC 6750 and RFC 9068.
import { expect } from "bun:test";
import { forgeries } from "../../interop/oidc/forge";
import { asks, check, gets, send } from "../exchange";
import { type Chapter, must, mustNot, type Proof, should, shouldNot } from "../ledger";
import type { World } from "../world";

function ping(world: World, token: string, more: Record<string, string> = {}) {
  return send(world, {
    path: "/mcp/tokens",
    headers: { authorization: `Bearer ${token}`, ...more },
    body: { jsonrpc: "2.0", id: 1, method: "ping" },
  });
}

/** A token with these claims gets this status. */
const token =
  (claims: Record<string, unknown>, status: number, header?: RegExp): Proof =>
  async (world) => {
    const answer = await ping(world, world.token(claims));
    await check(world, answer, {
      status,
      ...(header === undefined ? {} : { headers: { "www-authenticate": header } }),
    });
  };

/** The forgery with this name is refused, with the code. */
const forged =
  (name: string): Proof =>
  async (world) => {
    const found = forgeries({ url: world.idp.issuer, key: world.idp.key }, world.gateways.tokens).find(
      ([what]) => what === name,
    );
    expect(found).toBeDefined();
    await check(world, await ping(world, found?.[1] ?? ""), {
      status: 401,
      headers: { "www-authenticate": /error="invalid_token"/ },
    });
  };
const seconds = (): number => Math.floor(Date.now() / 1000);
const WRONG = { authorization: "Bearer rt_wrong" };

export const rfc6750: Chapter = {
  id: "RFC 6750",
  title: "Bearer Token Usage",
  url: "https://www.rfc-editor.org/rfc/rfc6750",
  rows: [
    must(
      "2.1",
      "a token in the Authorization header is accepted",
      gets("/v1/tools?limit=1", { status: 200 }, { as: "run" }),
    ),
    mustNot(
      "2.2",
      "a token in a form-encoded body is accepted",
      asks(
        {
          method: "POST",
          path: "/v1/tools/execute",
          headers: { "content-type": "application/x-www-form-urlencoded" },
          body: ({ keys }) => `access_token=${keys.run}`,
        },
        { status: 401 },
      ),
    ),
    shouldNot(
      "2.3",
      "a token in a query is accepted",
      gets(({ keys }) => `/v1/tools?access_token=${keys.run}`, { status: 401 }),
    ),
    must(
      "3",
      "a request without a credential gets the scheme Bearer",
      gets("/v1/tools", { status: 401, headers: { "www-authenticate": "Bearer" } }),
    ),
    shouldNot(
      "3.1",
      "a request without a credential gets an error code",
      gets("/v1/tools", { status: 401, headers: { "www-authenticate": /^(?!.*error)/ } }),
    ),
    should(
      "3.1",
      "a credential that does not work gets invalid_token",
      gets(
        "/v1/tools",
        { status: 401, headers: { "www-authenticate": 'Bearer error="invalid_token"' } },
        { headers: WRONG },
      ),
    ),
    should("3.1", "an expired token gets invalid_token", async (world) => {
      const expired = world.idp.token(world.url, { exp: seconds() - 600 });
      await check(
        world,
        await send(world, { path: "/v1/tools", headers: { authorization: `Bearer ${expired}` } }),
        { status: 401, headers: { "www-authenticate": /error="invalid_token"/ } },
      );
    }),
    should(
      "3.1",
      "another scheme gets no error code",
      gets(
        "/v1/tools",
        { status: 401, headers: { "www-authenticate": "Bearer" } },
        { headers: { authorization: "Basic eDp5" } },
      ),
    ),
    should(
      "3.1",
      "a user token that may not do it gets 403 and insufficient_scope with the scope",
      async (world) => {
        const user = world.idp.token(world.url, {});
        await check(
          world,
          await send(world, { path: "/v1/admin/keys", headers: { authorization: `Bearer ${user}` } }),
          {
            status: 403,
            headers: { "www-authenticate": 'Bearer error="insufficient_scope", scope="admin"' },
          },
        );
      },
    ),
    should(
      "3.1",
      "a key that may not do it gets 403 and insufficient_scope",
      gets(
        "/v1/admin/keys",
        { status: 403, headers: { "www-authenticate": /insufficient_scope/ } },
        { as: "run" },
      ),
    ),
    should(
      "3.1",
      "a token without the scope of a gateway gets 403 and insufficient_scope with the scope",
      token({ scope: "openid" }, 403, /scope="mcp", error="insufficient_scope"/),
    ),
    should(
      "3.1",
      "a gateway says invalid_token for a token that does not work",
      token({ exp: seconds() - 600 }, 401, /error="invalid_token"/),
    ),
    shouldNot(
      "3.1",
      "a gateway gives an error code without a token",
      asks(
        { path: "/mcp/tokens", body: {} },
        { status: 401, headers: { "www-authenticate": /^(?!.*error)/ } },
      ),
    ),
    must("3", "parameters of a challenge are quoted, each once", async (world) => {
      const challenge =
        (await send(world, { path: "/mcp/tokens", body: {} })).headers.get("www-authenticate") ?? "";
      const names = [...challenge.matchAll(/(\w+)="[^"]*"/g)].map(([, name]) => name);
      expect(names.toSorted()).toEqual([...new Set(names)].toSorted());
    }),
    mustNot(
      "3",
      "a challenge repeats the credential",
      gets(
        "/v1/tools",
        { headers: { "www-authenticate": /^(?!.*canary)/ } },
        { headers: { authorization: "Bearer canary" } },
      ),
    ),
    should(
      "5.3",
      "answers to requests with a token are not stored by shared caches",
      gets("/v1/tools?limit=1", { headers: { "cache-control": /private|no-store/ } }, { as: "run" }),
    ),
    should(
      "5.3",
      "an answer with a new key is not stored",
      asks(
        { path: "/v1/admin/keys", as: "admin", body: { name: "x", role: "read" } },
        { status: 201, headers: { "cache-control": "no-store" } },
      ),
    ),
    should("5.2", "the token of one resource does not work at another", async (world) => {
      expect((await ping(world, world.token({}, `${world.url}/mcp/other`))).status).toBe(401);
    }),
  ],
};

const FORGERIES: [string, string, string][] = [
  ["2.1", "a token without a signature is accepted", "alg none without signature"],
  ["2.1", "`none` in other capitals is accepted", "alg none with other capitals"],
  ["2.1", "`none` with a signature is accepted", "alg none with a signature"],
  ["2.1", "the public key is accepted as a symmetric secret", "HS256 with the public key in PEM"],
  ["2.1", "an empty symmetric secret is accepted", "HS256 with an empty secret"],
  ["2.1", "a token of the type JWT, such as an ID token, is accepted", "the type of an ID token"],
  ["2.1", "a token without a type is accepted", "no type"],
  ["2.2", "a token without an issuer is accepted", "no issuer"],
  ["2.2", "a token without an audience is accepted", "no audience"],
  ["2.2", "a token without an end is accepted", "no end"],
  ["2.2", "a token without a subject is accepted", "no subject"],
  ["2.2", "an end that is a text is accepted", "an expiry as text"],
  ["4", "a token of another issuer is accepted", "the wrong issuer"],
  ["4", "an issuer with an extra slash is accepted", "the issuer with an extra slash"],
  ["4", "an empty list of audiences is accepted", "an empty list of audiences"],
  ["4", "a signature by another key is accepted", "a stranger's key under the provider's key id"],
  ["4", "a key in the header of the token is used", "a stranger's key in the header"],
  ["4", "a key set that the header refers to is loaded", "a stranger's key set that the header refers to"],
  ["4", "claims under the signature of others are accepted", "claims of another token under this signature"],
  ["4", "an extension that is critical and unknown is accepted", "a critical extension"],
];

export const rfc9068: Chapter = {
  id: "RFC 9068",
  title: "JWT Profile for OAuth 2.0 Access Tokens",
  url: "https://www.rfc-editor.org/rfc/rfc9068",
  rows: [
    must("2.1", "a token of the type at+jwt is accepted", token({}, 200)),
    ...FORGERIES.map(([section, says, name]) => mustNot(section, says, forged(name))),
    must("2.2", "a token without client_id is refused", token({ client_id: undefined }, 401)),
    must("2.2", "a token without jti is refused", token({ jti: undefined }, 401)),
    must("2.2", "a token without iat is refused", token({ iat: undefined }, 401)),
    must("2.2.3", "scope is a text with spaces", token({ scope: "openid mcp email" }, 200)),
    must("4", "a token that has ended is refused", token({ exp: seconds() - 60 }, 401)),
    must("4", "a token that begins later is refused", token({ nbf: seconds() + 600 }, 401)),
    must("4", "a token that was issued later is refused", token({ iat: seconds() + 600 }, 401)),
    must("4", "a token is accepted if one of its audiences is the resource", async (world) =>
      expect((await ping(world, world.token({}, ["https://x.example", world.gateways.tokens]))).status).toBe(
        200,
      ),
    ),
    must(
      "5",
      "a token that is bound to a key is refused, because no proof is checked",
      forged("a missing proof of possession"),
    ),
  ],
};
