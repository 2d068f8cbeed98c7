// Revocation, PKCE, introspection and mix-up: what our OAuth client sends and checks.
import { expect } from "bun:test";
import { type Chapter, must, mustNot, type Proof, should } from "../ledger";
import { startTokenEndpoint } from "../../support/token-endpoint";
import { newSigningKey } from "../../interop/oidc/keys";
import { completes, fails, refusesRecord, revokes, rotates } from "./consents";

const REVOKE = { revoke_request: { endpoint: "/revoke", params: { token: "{{refresh_token}}" } } };
const INTROSPECT = {
  token_introspection_request: {
    endpoint: "/introspection",
    triggers: { on_token_grant: true, on_token_refresh: false },
    response_map: { scope: "$.scope", expires_in: "$.exp" },
  },
};
const introspection = (body: object) => ({ introspection: { body } });

/** A record whose requests come from the metadata of its issuer. */
function discovered(
  metadata: object,
  look: (oauth2: Record<string, unknown>) => unknown,
  more: object = {},
): Proof {
  return async (world) => {
    const { site } = await world.provider();
    await using idp = startTokenEndpoint();
    idp.otherwise(({ address }) =>
      address === "/.well-known/openid-configuration"
        ? {
            body: {
              issuer: idp.url,
              authorization_endpoint: `${idp.url}/a`,
              token_endpoint: `${idp.url}/t`,
              revocation_endpoint: `${idp.url}/r`,
              ...metadata,
            },
          }
        : { status: 404, body: "" },
    );
    const oauth2 = { client_id: "c", client_secret: "s", issuer: idp.url, ...more };
    const { status, body, text } = await site.addProvider({
      id: `d${crypto.randomUUID().slice(0, 8)}`,
      oauth2,
    });
    expect(status, text).toBe(201);
    await look(Object(body).oauth2);
  };
}

const authMethod = (name: string, oauth2: Record<string, unknown>): unknown =>
  Object(oauth2[name]).auth_method;

export const rfc7009: Chapter = {
  id: "RFC 7009",
  title: "OAuth 2.0 Token Revocation",
  url: "https://www.rfc-editor.org/rfc/rfc7009",
  rows: [
    must(
      "2",
      "a revocation request goes to the endpoint over POST",
      revokes(({ site }) => expect(site.sent("revoke")[0]?.method).toBe("POST"), REVOKE),
    ),
    must(
      "2.1",
      "a revocation request has the token",
      revokes(({ site }) => expect(site.sent("revoke")[0]?.params["token"]).toBe("R"), REVOKE),
    ),
    must(
      "2.1",
      "a revocation request is form-encoded",
      revokes(
        ({ site }) =>
          expect(site.sent("revoke")[0]?.headers.get("content-type")).toStartWith(
            "application/x-www-form-urlencoded",
          ),
        REVOKE,
      ),
    ),
    must(
      "2.1",
      "the client authenticates as the record says",
      revokes(
        ({ site }) => expect(site.sent("revoke")[0]?.headers.get("authorization")).toStartWith("Basic "),
        { revoke_request: { ...REVOKE.revoke_request, auth_method: "client_secret_basic" } },
      ),
    ),
    must(
      "2.1",
      "the methods of the revocation endpoint are those of its own list in the metadata",
      discovered(
        {
          token_endpoint_auth_methods_supported: ["client_secret_basic"],
          revocation_endpoint_auth_methods_supported: ["client_secret_post"],
        },
        (oauth2) => expect(authMethod("revoke_request", oauth2)).toBe("client_secret_post"),
      ),
    ),
    should(
      "2.1",
      "without such a list, the method of the token endpoint is used",
      discovered({ token_endpoint_auth_methods_supported: ["client_secret_post"] }, (oauth2) =>
        expect(authMethod("revoke_request", oauth2)).toBe("client_secret_post"),
      ),
    ),
    must(
      "2.2",
      "200 means that the token is revoked: it is not sent again",
      revokes(({ site }) => expect(site.sent("revoke")).toHaveLength(1), REVOKE),
    ),
    must(
      "2.2.1",
      "after 503 the revocation is sent again later, and the connection is gone all the same",
      revokes(({ site }) => expect(site.sent("revoke").length).toBeGreaterThan(0), REVOKE, {
        revoke: { status: 503, body: "" },
      }),
    ),
    mustNot(
      "3",
      "a token is sent in the address of a revocation request",
      revokes(({ site }) => expect(site.sent("revoke")[0]?.address).toBe("/revoke"), REVOKE),
    ),
  ],
};

export const rfc7636: Chapter = {
  id: "RFC 7636",
  title: "Proof Key for Code Exchange",
  url: "https://www.rfc-editor.org/rfc/rfc7636",
  rows: [
    must(
      "4.1",
      "a verifier has 43 to 128 unreserved characters",
      verifying((verifier) => expect(verifier).toMatch(/^[\w.~-]{43,128}$/)),
    ),
    should("4.1", "a verifier has 256 bits of entropy: two consents have different ones", async (world) => {
      const provider = await world.provider();
      const verifierOf = async () =>
        (await provider.consent()).site.sent("token")[0]?.params["code_verifier"];
      expect(await verifierOf()).not.toBe(await verifierOf());
    }),
    must(
      "4.2",
      "the challenge is the SHA-256 of the verifier",
      verifying((verifier, query) => {
        expect(query.get("code_challenge")).toBe(
          new Bun.CryptoHasher("sha256").update(verifier).digest("base64url"),
        );
      }),
    ),
    must(
      "4.2",
      "a client that can use S256 uses it",
      verifying((_verifier, query) => expect(query.get("code_challenge_method")).toBe("S256")),
    ),
    must(
      "4.3",
      "the challenge is part of the authorization request",
      verifying((_verifier, query) => expect(query.get("code_challenge")).toMatch(/^[\w-]{43}$/)),
    ),
    must(
      "4.5",
      "the verifier is part of the token request",
      verifying((verifier) => expect(verifier.length).toBeGreaterThan(42)),
    ),
    mustNot(
      "7.2",
      "the method plain is used",
      refusesRecord({ pkce: { enabled: true, code_challenge_method: "plain" } }, "code_challenge_method"),
    ),
    mustNot(
      "4.3",
      "the verifier is part of the authorization request",
      verifying((verifier, query) => expect([...query.values()]).not.toContain(verifier)),
    ),
  ],
};

function verifying(look: (verifier: string, query: URLSearchParams) => unknown): Proof {
  return async (world) => {
    const { site } = await (await world.provider()).consent();
    const query = new URL(site.sent("authorize")[0]?.address ?? "", "http://x").searchParams;
    await look(site.sent("token")[0]?.params["code_verifier"] ?? "", query);
  };
}

export const rfc7662: Chapter = {
  id: "RFC 7662",
  title: "OAuth 2.0 Token Introspection",
  url: "https://www.rfc-editor.org/rfc/rfc7662",
  rows: [
    must(
      "2.1",
      "the request is a POST",
      completes(introspection({ active: true }), INTROSPECT, ({ site }) =>
        expect(site.sent("introspection")[0]?.method).toBe("POST"),
      ),
    ),
    must(
      "2.1",
      "the request is form-encoded",
      completes(introspection({ active: true }), INTROSPECT, ({ site }) =>
        expect(site.sent("introspection")[0]?.headers.get("content-type")).toStartWith(
          "application/x-www-form-urlencoded",
        ),
      ),
    ),
    must(
      "2.1",
      "the request has the token",
      completes(introspection({ active: true }), INTROSPECT, ({ site }) =>
        expect(site.sent("introspection")[0]?.params["token"]).toBe("T"),
      ),
    ),
    mustNot(
      "2.1",
      "the token is in the address of the request, which the server would log",
      completes(introspection({ active: true }), INTROSPECT, ({ site }) =>
        expect(site.sent("introspection")[0]?.address).toBe("/introspection"),
      ),
    ),
    must(
      "2.1",
      "the request is authorized",
      completes(introspection({ active: true }), INTROSPECT, ({ site }) =>
        expect(site.sent("introspection")[0]?.headers.get("authorization")).toStartWith("Basic "),
      ),
    ),
    must(
      "2.2",
      "a token that is not active is not used",
      fails(introspection({ active: false }), "not active", INTROSPECT),
    ),
    must(
      "2.2",
      "a grant whose token is not active is revoked, and no connection is stored",
      fails(
        introspection({ active: false }),
        "not active",
        { ...INTROSPECT, ...REVOKE },
        async ({ site }) => {
          while (site.sent("revoke").length === 0) await Bun.sleep(5);
          expect(site.sent("revoke")[0]?.params["token"]).toBe("R");
        },
      ),
    ),
    must(
      "2.2",
      "the scopes of the answer count",
      fails(introspection({ active: true, scope: "a" }), "b", INTROSPECT),
    ),
    must(
      "2.2",
      "exp is a number of seconds since the epoch",
      completes(introspection({ active: true, exp: Math.floor(Date.now() / 1000) + 86_400 }), INTROSPECT),
    ),
    should(
      "2.3",
      "an error answer says nothing about the token: the token answer counts",
      completes({ introspection: { status: 401, body: { error: "invalid_client" } } }, INTROSPECT),
    ),
  ],
};

export const rfc9207: Chapter = {
  id: "RFC 9207",
  title: "OAuth 2.0 Authorization Server Issuer Identification",
  url: "https://www.rfc-editor.org/rfc/rfc9207",
  rows: [
    must(
      "2.4",
      "an issuer in a callback is compared with that of the record",
      fails({ callback: { code: "C", iss: "https://other.example" } }, "another issuer", {
        issuer: "https://idp.example",
      }),
    ),
    must(
      "2.4",
      "the comparison is character by character",
      fails({ callback: { code: "C", iss: "https://idp.example/" } }, "another issuer", {
        issuer: "https://idp.example",
      }),
    ),
    must(
      "2.4",
      "the right issuer is accepted",
      completes({ callback: { code: "C", iss: "https://idp.example" } }, { issuer: "https://idp.example" }),
    ),
    must(
      "2.4",
      "an empty issuer is another issuer",
      fails({ callback: { code: "C", iss: "" } }, "another issuer", { issuer: "https://idp.example" }),
    ),
    must(
      "2.4",
      "a callback without an issuer is refused if the server announces it",
      fails({ callback: { code: "C" } }, "", {
        issuer: "https://idp.example",
        authorization_response_iss_parameter_supported: true,
      }),
    ),
    mustNot("2.4", "a code of another issuer is sent to the token endpoint", async (world) => {
      const { site } = await (
        await world.provider()
      ).consent({ callback: { code: "C", iss: "https://other.example" } }, { issuer: "https://idp.example" });
      expect(site.sent("token")).toEqual([]);
    }),
    must(
      "2.4",
      "the announcement is taken from the metadata",
      discovered({ authorization_response_iss_parameter_supported: true }, (oauth2) =>
        expect(oauth2["authorization_response_iss_parameter_supported"]).toBe(true),
      ),
    ),
    must(
      "3",
      "the issuer of a discovered record is that of the metadata",
      discovered({}, (oauth2) => expect(String(oauth2["issuer"])).toStartWith("http://127.0.0.1")),
    ),
  ],
};

export const rfc9700: Chapter = {
  id: "RFC 9700",
  title: "Best Current Practice for OAuth 2.0 Security",
  url: "https://www.rfc-editor.org/rfc/rfc9700",
  rows: [
    must("2.1", "clients prevent cross-site request forgery: a made-up state is refused", async (world) => {
      const { site } = await (await world.provider()).standard();
      expect(
        (await fetch(`${site.url}/api/v1/oauth/idp/callback?state=x&code=y`)).status,
      ).toBeGreaterThanOrEqual(400);
    }),
    must(
      "2.1",
      "clients that work with several servers prevent mix-up: each has its own redirect address",
      async (world) => {
        const { site } = await world.provider();
        const made = async (id: string) =>
          Object(
            (
              await site.addProvider({
                id,
                oauth2: {
                  client_id: "c",
                  authorize_request: { endpoint: "https://a.example/a" },
                  token_request: { endpoint: "https://a.example/t" },
                },
              })
            ).body,
          ).oauth2.redirect_uri;
        expect(await made(`m${crypto.randomUUID().slice(0, 8)}`)).not.toBe(
          await made(`m${crypto.randomUUID().slice(0, 8)}`),
        );
      },
    ),
    must(
      "2.1.1",
      "public clients use PKCE, and confidential ones do too",
      verifying((verifier) => expect(verifier).not.toBe("")),
    ),
    mustNot(
      "2.1.2",
      "the implicit grant is used",
      verifying((_verifier, query) => expect(query.get("response_type")).toBe("code")),
    ),
    must(
      "2.2.2",
      "a refresh token that was replaced is not used again",
      rotates(
        async ({ site }, provider) => {
          site.deployment.clock.move(2 * 3_600_000);
          await site.execute(provider.lastUser);
          expect(site.sent("refresh").map(({ params }) => params["refresh_token"])).toEqual(["R", "R2"]);
        },
        { refresh_token: "R2" },
      ),
    ),
    mustNot("2.4", "the password grant is used", async (world) => {
      const { site } = await (await world.provider()).standard();
      expect(JSON.stringify(site.deployment.idp.requests)).not.toContain("grant_type=password");
    }),
    should(
      "2.5",
      "asymmetric client authentication is preferred where the server and the record allow it",
      discovered(
        { token_endpoint_auth_methods_supported: ["private_key_jwt", "client_secret_basic"] },
        (oauth2) => expect(authMethod("token_request", oauth2)).toBe("private_key_jwt"),
        { private_key: JSON.stringify(newSigningKey().privateJwk) },
      ),
    ),
    should(
      "2.5",
      "Basic is used by default where the metadata allows it",
      discovered({}, (oauth2) => expect(authMethod("token_request", oauth2)).toBe("client_secret_basic")),
    ),
    should(
      "2.5",
      "Basic is the default of a token request without a method too, if metadata is read",
      discovered({}, (oauth2) => expect(authMethod("token_request", oauth2)).toBe("client_secret_basic"), {
        token_request: { endpoint: "http://127.0.0.1:9/t" },
      }),
    ),
    must(
      "2.6",
      "endpoints of public hosts are https",
      refusesRecord({ token_request: { endpoint: "http://public.example/token" } }, "https"),
    ),
    mustNot("4.2.4", "a page with a code or state lets other sites see its address", async (world) => {
      const { flow } = await (await world.provider()).standard();
      expect(flow.page.headers.get("referrer-policy")).toBe("no-referrer");
    }),
    must(
      "4.4.2",
      "an issuer in a callback is checked",
      fails({ callback: { code: "C", iss: "https://evil.example" } }, "another issuer", {
        issuer: "https://idp.example",
      }),
    ),
    mustNot("4.10.2", "our consent page lets itself be framed", async (world) => {
      const { flow } = await (await world.provider()).standard();
      expect(flow.page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    }),
    must("4.11", "a callback never redirects to an address of the request", async (world) => {
      const { site } = await (await world.provider()).standard();
      const response = await fetch(
        `${site.url}/api/v1/oauth/idp/callback?state=x&code=y&next=https://evil.example`,
        { redirect: "manual" },
      );
      expect(response.headers.get("location")).toBeNull();
    }),
    should("4.12", "the redirect to the provider is 303, which never repeats a body", async (world) => {
      const { site } = await (await world.provider()).standard();
      const { body } = await site.agent.post("/v1/auth/authorize", {
        auth_requirement: { id: "idp", oauth2: { scopes: ["z"] } },
        user_id: "other",
      });
      expect((await fetch(String(Object(body).url), { redirect: "manual" })).status).toBe(303);
    }),
  ],
};
