// The authorization server of people who sign in, as clients see it.
import { expect } from "bun:test";
import { createLocalJWKSet, jwtVerify } from "jose";
import {
  type Browser,
  claimsOf,
  form,
  REDIRECT,
  registration,
  type SignInSite,
  startSignInSite,
  TestClient,
  textAt,
  tokensIn,
} from "../../people/authorization-server/site";
import { at } from "../../support/api";
import { type Chapter, must, mustNot, type Proof, should } from "../ledger";

interface Stage {
  site: SignInSite;
  gateway: string;
  client: TestClient;
  alice: Browser;
}

function staged(look: (stage: Stage) => Promise<unknown>): Proof {
  return async () => {
    await using site = await startSignInSite();
    const gateway = await site.tokenGateway("workbench");
    await site.tokenGateway("second");
    const client = await TestClient.register(site.url);
    await look({ site, gateway, client, alice: await site.browser("alice") });
  };
}

const metadataOf = async ({ site }: Stage) =>
  (await fetch(`${site.url}/.well-known/oauth-authorization-server`)).json();
const errorOf = async (answer: Response) => [answer.status, at(await answer.json(), "error")];
const landing = async ({ client, alice, gateway }: Stage, parameters: Record<string, string | undefined>) =>
  new URL((await alice.open(client.authorizeUrl({ resource: gateway, ...parameters }))).url);

export const authorizationServer: Chapter = {
  id: "Authorization server",
  title: "OAuth 2.1 and its extensions, for clients of people",
  url: "https://datatracker.ietf.org/doc/draft-ietf-oauth-v2-1/",
  rows: [
    must(
      "RFC 6749, 3.1.2.4",
      "an address that is not registered is not redirected to",
      staged(async (stage) => {
        const { origin } = await landing(stage, { redirect_uri: "http://127.0.0.1:33418/other" });
        expect(origin).toBe(stage.site.url);
      }),
    ),
    must(
      "RFC 6749, 4.1.2",
      "a code is used once, and a second use ends its tokens",
      staged(async ({ client, alice, gateway }) => {
        const code = await client.code(alice, gateway);
        const tokens = tokensIn(await (await client.exchange(code)).json());
        expect(await errorOf(await client.exchange(code))).toEqual([400, "invalid_grant"]);
        expect(await errorOf(await client.refresh(tokens.refresh_token))).toEqual([400, "invalid_grant"]);
      }),
    ),
    must(
      "RFC 6749, 4.1.3",
      "the address of a code is the one of its request",
      staged(async ({ client, alice, gateway }) => {
        const code = await client.code(alice, gateway);
        const answer = await client.exchange(code, { redirect_uri: "http://127.0.0.1:1/callback" });
        expect(await errorOf(answer)).toEqual([400, "invalid_grant"]);
      }),
    ),
    must(
      "RFC 6749, 5.1",
      "answers with tokens are not stored by caches",
      staged(async ({ client, alice, gateway }) => {
        const answer = await client.exchange(await client.code(alice, gateway));
        expect(answer.headers.get("cache-control")).toBe("no-store");
      }),
    ),
    must(
      "RFC 6749, 3.3",
      "the scope of a token is told if it is another one than was asked for",
      staged(async ({ client, alice, gateway }) => {
        const page = await alice.open(client.authorizeUrl({ resource: gateway, scope: "everything" }));
        const back = await alice.submit(page, "yes");
        const answer = await client.exchange(new URL(back.url).searchParams.get("code") ?? "");
        expect(tokensIn(await answer.json()).scope).toBe("mcp");
      }),
    ),
    must(
      "RFC 7636, 4.4.1",
      "a request without a challenge is refused",
      staged(async (stage) => {
        const none = { code_challenge: undefined, code_challenge_method: undefined };
        expect((await landing(stage, none)).searchParams.get("error")).toBe("invalid_request");
      }),
    ),
    mustNot(
      "RFC 9700, 2.1.1",
      "the challenge may be plain",
      staged(async (stage) => {
        const { searchParams } = await landing(stage, { code_challenge_method: "plain" });
        expect(searchParams.get("error")).toBe("invalid_request");
      }),
    ),
    mustNot(
      "RFC 9700, 2.4",
      "a password is exchanged for tokens",
      staged(async ({ client }) => {
        const answer = await client.token({ grant_type: "password", username: "alice", password: "x" });
        expect((await errorOf(answer))[0]).toBe(400);
      }),
    ),
    must(
      "RFC 9700, 2.2.2",
      "a refresh token is replaced by its use, and an old one ends the chain",
      staged(async ({ client, alice, gateway }) => {
        const first = await client.tokens(alice, gateway);
        const second = tokensIn(await (await client.refresh(first.refresh_token)).json());
        await client.refresh(first.refresh_token);
        expect(await errorOf(await client.refresh(second.refresh_token))).toEqual([400, "invalid_grant"]);
      }),
    ),
    must(
      "RFC 8414, 3.3",
      "the issuer of the metadata is the one that it was asked for",
      staged(async (stage) => expect(textAt(await metadataOf(stage), "issuer")).toBe(stage.site.url)),
    ),
    must(
      "RFC 8414, 2",
      "the addresses in the metadata are served",
      staged(async (stage) => {
        const metadata = await metadataOf(stage);
        for (const [name, value] of Object.entries(Object(metadata)))
          if (name.endsWith("_endpoint") || name === "jwks_uri")
            expect([name, (await fetch(String(value), { method: "OPTIONS" })).status]).toEqual([name, 204]);
      }),
    ),
    must(
      "RFC 8707, 2",
      "an unknown resource is invalid_target",
      staged(async (stage) => {
        const { searchParams } = await landing(stage, { resource: "https://other.example/mcp/x" });
        expect(searchParams.get("error")).toBe("invalid_target");
      }),
    ),
    should(
      "RFC 8707, 2.2",
      "a token is for the resource that was asked for",
      staged(async ({ client, alice, gateway }) => {
        expect(claimsOf((await client.tokens(alice, gateway)).access_token)["aud"]).toBe(gateway);
      }),
    ),
    must(
      "RFC 9068, 2",
      "an access token is a signed JWT of the type at+jwt, with its claims",
      staged(async (stage) => {
        const { client, alice, gateway, site } = stage;
        const { access_token: token } = await client.tokens(alice, gateway);
        const keys = await (await fetch(textAt(await metadataOf(stage), "jwks_uri"))).json();
        const options = { issuer: site.url, audience: gateway, typ: "at+jwt" };
        const { payload } = await jwtVerify(token, createLocalJWKSet(Object(keys)), options);
        for (const claim of ["iss", "exp", "aud", "sub", "client_id", "iat", "jti"])
          expect([claim, claim in payload]).toEqual([claim, true]);
      }),
    ),
    must(
      "RFC 9207, 2",
      "answers name their issuer, also errors",
      staged(async (stage) => {
        expect((await landing(stage, { prompt: "none" })).searchParams.get("iss")).toBe(stage.site.url);
        const page = await stage.alice.open(stage.client.authorizeUrl({ resource: stage.gateway }));
        const back = await stage.alice.submit(page, "yes");
        expect(new URL(back.url).searchParams.get("iss")).toBe(stage.site.url);
      }),
    ),
    must(
      "RFC 7591, 3.2.1",
      "a registration is answered with 201 and all that was registered",
      staged(async ({ site }) => {
        const answer = await registration(site.url);
        expect(answer.status).toBe(201);
        expect(Object.keys(Object(await answer.json()))).toEqual(
          expect.arrayContaining(["client_id", "redirect_uris", "grant_types", "token_endpoint_auth_method"]),
        );
      }),
    ),
    must(
      "RFC 7591, 3.2.2",
      "an address that is not allowed is invalid_redirect_uri",
      staged(async ({ site }) => {
        const answer = await registration(site.url, { redirect_uris: ["http://client.example/"] });
        expect(await errorOf(answer)).toEqual([400, "invalid_redirect_uri"]);
      }),
    ),
    must(
      "RFC 8252, 7.3",
      "an address at loopback may have any port",
      staged(async (stage) => {
        const redirect_uri = REDIRECT.replace("33418", "50999");
        expect((await landing(stage, { redirect_uri })).pathname).toStartWith("/oauth/interaction/");
      }),
    ),
    should(
      "RFC 8252, 8.6",
      "a program on the machine of the person is not answered without asking the person",
      staged(async ({ client, alice, gateway }) => {
        await client.code(alice, gateway);
        const again = await alice.open(client.authorizeUrl({ resource: gateway }));
        expect(new URL(again.url).searchParams.get("code")).toBeTruthy();
      }),
      "What a person has allowed is remembered for each client and gateway. A program that could pretend to be the client runs on the same machine, and can read its tokens as well. `prompt=consent` asks again.",
    ),
    must(
      "RFC 7009, 2.1",
      "a client ends its own refresh token, and not those of others",
      staged(async ({ site, client, alice, gateway }) => {
        const tokens = await client.tokens(alice, gateway);
        const other = await TestClient.register(site.url);
        const revoke = (id: string) =>
          form(`${site.url}/oauth/revoke`, { client_id: id, token: tokens.refresh_token });
        expect((await revoke(other.id)).status).toBe(200);
        const next = tokensIn(await (await client.refresh(tokens.refresh_token)).json());
        expect(next.refresh_token).not.toBe("");
      }),
    ),
    must(
      "RFC 9126, 2.2",
      "a pushed request is answered with an address that works once",
      staged(async ({ site, client, gateway }) => {
        const url = new URL(client.authorizeUrl({ resource: gateway }));
        const answer = await form(`${site.url}/oauth/par`, Object.fromEntries(url.searchParams));
        const body = await answer.json();
        expect([answer.status, textAt(body, "request_uri")]).toEqual([201, expect.stringMatching(/^urn:/)]);
      }),
    ),
    must(
      "RFC 8628, 3.5",
      "a device that polls before the person has answered is told to wait",
      staged(async ({ site }) => {
        const begun = await (await form(`${site.url}/oauth/device`, { client_id: "runtime-cli" })).json();
        const answer = await form(`${site.url}/oauth/token`, {
          client_id: "runtime-cli",
          grant_type: "urn:ietf:params:oauth:grant-type:device_code",
          device_code: textAt(begun, "device_code"),
        });
        expect(await errorOf(answer)).toEqual([400, "authorization_pending"]);
      }),
    ),
  ],
};
