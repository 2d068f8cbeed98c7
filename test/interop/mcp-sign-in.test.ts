// The official SDK clients sign in at a gateway with nothing but its address: metadata, registration, browser, tokens, refresh.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { createLocalJWKSet, jwtVerify } from "jose";
import {
  type Browser,
  REDIRECT,
  type SignInSite,
  startSignInSite,
  textAt,
} from "../people/authorization-server/site";

let site: SignInSite;
let gateway: string;
let alice: Browser;
beforeAll(async () => {
  site = await startSignInSite();
  gateway = await site.tokenGateway("workbench");
  await site.tokenGateway("second");
  alice = await site.browser("alice");
});
afterAll(() => site[Symbol.asyncDispose]());

/** Keeps what a program would keep, and opens the browser of alice. */
class Program implements OAuthClientProvider {
  readonly redirectUrl = REDIRECT;
  readonly clientMetadata = {
    client_name: "SDK client",
    redirect_uris: [REDIRECT],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
  #client: Awaited<ReturnType<OAuthClientProvider["clientInformation"]>>;
  #tokens: Awaited<ReturnType<OAuthClientProvider["tokens"]>>;
  #verifier = "";
  code = "";

  clientInformation() {
    return this.#client;
  }
  saveClientInformation(client: NonNullable<Awaited<ReturnType<OAuthClientProvider["clientInformation"]>>>) {
    this.#client = client;
  }
  tokens() {
    return this.#tokens;
  }
  saveTokens(tokens: NonNullable<Awaited<ReturnType<OAuthClientProvider["tokens"]>>>) {
    this.#tokens = tokens;
  }
  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier;
  }
  codeVerifier() {
    return this.#verifier;
  }
  async redirectToAuthorization(url: URL): Promise<void> {
    let page = await alice.open(url.href);
    if (page.text.includes('name="answer"')) page = await alice.submit(page, "yes");
    this.code = new URL(page.url).searchParams.get("code") ?? "";
  }
}

test("the SDK client reaches a tool call, and goes on when its token has expired", async () => {
  const program = new Program();
  const connect = async (): Promise<Client> => {
    const client = new Client({ name: "program", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(new URL(gateway), { authProvider: program }));
    return client;
  };
  const transport = new StreamableHTTPClientTransport(new URL(gateway), { authProvider: program });
  await expect(new Client({ name: "program", version: "1" }).connect(transport)).rejects.toThrow();
  expect(program.code).not.toBe("");
  await transport.finishAuth(program.code);
  const client = await connect();
  const result = await client.callTool({ name: "Test_Echo", arguments: { text: "signed in" } });
  expect(JSON.stringify(result)).toContain("signed in");
  const before = program.tokens()?.access_token;
  site.deployment.clock.move(11 * 60_000);
  program.code = "";
  const again = await client.callTool({ name: "Test_Echo", arguments: { text: "again" } });
  expect(JSON.stringify(again)).toContain("again");
  expect([program.code, program.tokens()?.access_token === before]).toEqual(["", false]);
  await client.close();
});

test("the tokens are verified by another library with the published keys", async () => {
  const program = new Program();
  const transport = new StreamableHTTPClientTransport(new URL(gateway), { authProvider: program });
  await expect(new Client({ name: "program", version: "1" }).connect(transport)).rejects.toThrow();
  await transport.finishAuth(program.code);
  const metadata = await (await fetch(`${site.url}/.well-known/oauth-authorization-server`)).json();
  const keys = await (await fetch(textAt(metadata, "jwks_uri"))).json();
  const { payload } = await jwtVerify(program.tokens()?.access_token ?? "", createLocalJWKSet(Object(keys)), {
    issuer: site.url,
    audience: gateway,
    typ: "at+jwt",
    algorithms: ["ES256"],
    currentDate: new Date(site.deployment.clock.now()),
  });
  expect(payload).toMatchObject({ sub: "alice", scope: "mcp", project_id: "default" });
});
