// From a bare address, without key or header: clients find where people sign in, a person does so in Chromium, and a tool runs.
import { afterAll, beforeAll, describe, expect } from "bun:test";
import { join } from "node:path";
import * as openid from "openid-client";
import { api, at } from "../../support/api";
import { hasChromium, testWith } from "../../support/require";
import { officialClients } from "../mcp/clients";
import { OAuthProvider } from "../mcp/oauth";
import { testWithApache } from "./apache";
import { Chromium } from "./chromium";
import { type SignInSite, signInWays } from "./methods";

const testInBrowser = testWith("chromium", hasChromium);
const TEST_MS = 120_000;
const REDIRECT = "http://127.0.0.1:9/signed-in";

let chromium: Chromium;
beforeAll(async () => {
  chromium = await Chromium.start();
}, 60_000);
afterAll(() => chromium[Symbol.asyncDispose]());

/** The storage of an official client whose person is one with a browser. */
class InBrowser extends OAuthProvider {
  readonly #allow: (address: string) => Promise<string>;
  #arrived: Promise<string> | undefined;

  constructor(allow: (address: string) => Promise<string>) {
    super("", "");
    this.#allow = allow;
  }

  override get redirectUrl(): string {
    return REDIRECT;
  }

  override get clientMetadata() {
    return { ...super.clientMetadata, redirect_uris: [REDIRECT] };
  }

  override redirectToAuthorization(address: URL): void {
    this.visited.push(address);
    this.#arrived = this.#allow(address.href);
  }

  override async signedIn(): Promise<URLSearchParams> {
    if (this.#arrived === undefined) throw new Error("the client did not open a browser");
    return new URL(await this.#arrived).searchParams;
  }
}

function fetchOf({ ca }: SignInSite): typeof fetch {
  if (ca === undefined) return fetch;
  const tls = { ca: Bun.file(ca) };
  return Object.assign(
    (input: string | URL | Request, init?: RequestInit) => fetch(input, { ...init, tls } as RequestInit),
    { preconnect: () => undefined },
  );
}

describe.each(signInWays.map((way) => [way.name, way] as const))("%s", (_name, { start, needs, isMock }) => {
  const testHere = needs === "apache" ? testWithApache : testInBrowser;

  testHere(
    "official clients get in, with a token that others verify",
    async () => {
      await using made = await start();
      await using alice = await made.person(chromium, "alice");
      for (const client of officialClients) {
        const provider = new InBrowser((address) => alice.allow(address, REDIRECT));
        await using session = await client.connect(made.address, { provider, fetch: fetchOf(made) });
        expect(await session.call("test_simple_text"), client.name).toMatchObject({ isError: false });
        const verified = await verifiedElsewhere(made, provider.tokens()?.access_token ?? "");
        expect(verified, client.name).toMatchObject({ sub: "alice", scope: "mcp" });
      }
    },
    TEST_MS,
  );

  // The mock of a provider signs everybody in as alice.
  const testTwo = isMock ? testHere.skip : testHere;
  testTwo(
    "a second person does not use the grant of the first",
    async () => {
      await using made = await start();
      const [client] = officialClients;
      if (client === undefined) throw new Error("no client");
      const called = async (name: string) => {
        await using person = await made.person(chromium, name);
        const provider = new InBrowser((address) => person.allow(address, REDIRECT));
        await using session = await client.connect(made.address, { provider, fetch: fetchOf(made) });
        return await session.call("Chat_WhoAmI");
      };
      const agent = api(made.site.url, await made.site.key("run"));
      const asked = await agent.post("/v1/tools/authorize", { tool_name: "Chat.WhoAmI", user_id: "alice" });
      await using alice = await made.person(chromium, "alice");
      await alice.consent(String(at(asked.body, "url")));

      expect(await called("alice")).toMatchObject({ isError: false, structured: { username: "alice" } });
      const refused = await called("bob");
      expect(refused.isError).toBe(true);
      expect(refused.text).toContain("authorization_url");
    },
    TEST_MS,
  );

  testHere(
    "openid-client gets a token, refreshes and revokes it",
    async () => {
      await using made = await start();
      await using alice = await made.person(chromium, "alice");
      const custom = fetchOf(made) as unknown as openid.CustomFetch;
      const config = await openid.dynamicClientRegistration(
        new URL(made.issuer),
        {
          client_name: "openid-client",
          redirect_uris: [REDIRECT],
          grant_types: ["authorization_code", "refresh_token"],
          token_endpoint_auth_method: "none",
          application_type: "native",
        },
        openid.None(),
        { algorithm: "oauth2", execute: [openid.allowInsecureRequests], [openid.customFetch]: custom },
      );
      const verifier = openid.randomPKCECodeVerifier();
      const state = openid.randomState();
      const address = openid.buildAuthorizationUrl(config, {
        redirect_uri: REDIRECT,
        scope: "mcp",
        resource: made.address,
        state,
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      });
      const back = await alice.allow(address.href, REDIRECT);
      const tokens = await openid.authorizationCodeGrant(
        config,
        new URL(back),
        { pkceCodeVerifier: verifier, expectedState: state },
        { resource: made.address },
      );
      expect(tokens.expires_in).toBeGreaterThan(0);
      const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? "", {
        resource: made.address,
      });
      expect(await answered(made, refreshed.access_token)).toBe(200);
      await openid.tokenRevocation(config, refreshed.refresh_token ?? "");
      expect(await answered(made, refreshed.access_token)).toBe(401);
    },
    TEST_MS,
  );
});

async function answered(made: SignInSite, token: string): Promise<number> {
  const response = await fetchOf(made)(made.address, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "x", version: "1" } },
    }),
  });
  await response.body?.cancel();
  return response.status;
}

/** What a resource server in another process reads from a token, with the published keys only. */
async function verifiedElsewhere(made: SignInSite, token: string): Promise<unknown> {
  const command = [process.execPath, join(import.meta.dir, "verify-token.ts"), made.issuer, made.address];
  const child = Bun.spawn(command, {
    stdin: new Blob([token]),
    stdout: "pipe",
    stderr: "pipe",
    env: {
      PATH: process.env["PATH"] ?? "",
      ...(made.ca === undefined ? {} : { NODE_EXTRA_CA_CERTS: made.ca }),
    },
  });
  const [printed, complaints] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Error(complaints);
  return JSON.parse(printed);
}
