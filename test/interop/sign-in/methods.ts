// Deployments in which people sign in, one for each way of doing it, with a gateway that official clients get to by themselves.
import { join } from "node:path";
import type { JsonObject } from "../../../src/base";
import { api, at } from "../../support/api";
import { freePort } from "../../support/free-port";
import { type Site, type SiteOptions, startSite } from "../../support/site";
import { conformanceCatalogs } from "../mcp/fixtures";
import { gatewaySiteOf } from "../mcp/gateway";
import { type Apache, apacheOn } from "./apache";
import type { Chromium, Person } from "./chromium";

export interface SignInSite extends AsyncDisposable {
  readonly site: Site;
  /** The issuer of our tokens. */
  readonly issuer: string;
  /** The gateway `team`, with a tool that needs nothing and one that needs a consent. */
  readonly address: string;
  /** What a client must trust to reach it; undefined: nothing more. */
  readonly ca: string | undefined;
  /** A new browser profile of a person who can prove to be that. */
  person(chromium: Chromium, name: string): Promise<Person>;
}

export interface SignInWay {
  name: string;
  needs?: "apache";
  /** Everybody is alice. */
  isMock?: true;
  start(): Promise<SignInSite>;
}

export const GATEWAY: JsonObject = {
  auth_type: "arcade",
  tool_filter: { allowed_tools: ["Chat.WhoAmI", "test.simple_text"] },
};

export const signInWays: readonly SignInWay[] = [
  { name: "oidc, a provider without registration (oauth2-mock-server)", isMock: true, start: startWithMock },
  { name: "oidc, a certified provider without registration", start: startWithCertified },
  { name: "passkey", start: startWithPasskeys },
  { name: "proxy, Apache with client certificates", needs: "apache", start: startBehindApache },
];

async function prepared(
  options: SiteOptions,
  more: Pick<SignInSite, "person"> & { close?: () => Promise<void>; apache?: Apache },
): Promise<SignInSite> {
  const site = await startSite({ moreCatalogs: conformanceCatalogs, ...options });
  await site.addChatProvider();
  await more.apache?.forward(site.url);
  const { gateway } = await gatewaySiteOf(site);
  await gateway("team", GATEWAY);
  const issuer = site.runtime.core.publicUrl();
  return {
    site,
    issuer,
    address: `${issuer}/mcp/team`,
    ca: more.apache?.ca,
    person: more.person,
    [Symbol.asyncDispose]: async () => {
      await site[Symbol.asyncDispose]();
      await more.close?.();
    },
  };
}

/** The mock signs everybody in as the same person. */
async function startWithMock(): Promise<SignInSite> {
  const provider = await startProgram("mock-provider.ts", [], { PERSON: "alice" });
  return prepared(
    {
      environment: {
        RUNTIME_AUTH_URL: provider.address,
        RUNTIME_AUTH_CLIENT_ID: "runtime",
        RUNTIME_AUTH_CLIENT_SECRET: "the secret of the mock",
      },
    },
    { person: (chromium, name) => chromium.person(name), close: provider.close },
  );
}

async function startWithCertified(): Promise<SignInSite> {
  const port = freePort();
  const here = `http://127.0.0.1:${port}`;
  const secret = "a secret: with / and +";
  const redirects = [`${here}/sign-in/callback`, `${here}/api/v1/auth/callback`];
  const provider = await startProgram("certified-provider.ts", [secret, ...redirects], {});
  return prepared(
    {
      environment: {
        RUNTIME_PORT: String(port),
        RUNTIME_AUTH_URL: provider.address,
        RUNTIME_AUTH_CLIENT_ID: "runtime",
        RUNTIME_AUTH_CLIENT_SECRET: secret,
      },
    },
    { person: (chromium, name) => chromium.person(name), close: provider.close },
  );
}

/** A program of this folder that prints its address. */
async function startProgram(file: string, args: readonly string[], environment: Record<string, string>) {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, file), ...args], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
    env: { PATH: process.env["PATH"] ?? "", ...environment },
  });
  const { value } = await child.stdout.getReader().read();
  return {
    address: new TextDecoder().decode(value).trim(),
    close: async () => {
      child.kill();
      await child.exited;
    },
  };
}

async function startWithPasskeys(): Promise<SignInSite> {
  const port = freePort();
  const made: SignInSite = await prepared(
    {
      environment: {
        RUNTIME_SIGN_IN: "passkey",
        RUNTIME_PORT: String(port),
        RUNTIME_PUBLIC_URL: `http://localhost:${port}`,
      },
    },
    {
      person: async (chromium, name) => {
        const person = await chromium.person(name);
        const session = await person.context.newCDPSession(person.page);
        await session.send("WebAuthn.enable");
        await session.send("WebAuthn.addVirtualAuthenticator", {
          options: {
            protocol: "ctap2",
            transport: "internal",
            hasResidentKey: true,
            hasUserVerification: true,
            isUserVerified: true,
            automaticPresenceSimulation: true,
          },
        });
        const admin = api(made.site.url, await made.site.key("admin"));
        const invited = await admin.post("/v1/admin/users/invite", { user_id: name });
        await person.page.goto(String(at(invited.body, "link")));
        for (let pages = 0; pages < 3 && !person.page.url().endsWith("/me"); pages++) {
          const before = person.page.url();
          await person.page.getByRole("button").first().click();
          await person.page.waitForURL((url) => url.href !== before);
        }
        // The invitation has signed the person in; the clients' sign-in is to use the passkey.
        await person.context.clearCookies();
        return person;
      },
    },
  );
  return made;
}

async function startBehindApache(): Promise<SignInSite> {
  const apache = apacheOn(freePort());
  return prepared(
    {
      environment: {
        RUNTIME_SIGN_IN: "proxy",
        RUNTIME_PUBLIC_URL: apache.url,
        RUNTIME_HTTP_TRUSTED_PROXIES: "127.0.0.1",
        RUNTIME_BEHIND_PROXY: "true",
      },
    },
    {
      apache,
      person: (chromium, name) => {
        const { cert, key } = apache.certificateOf(name);
        return chromium.person(name, {
          ignoreHTTPSErrors: true,
          clientCertificates: [{ origin: apache.url, certPath: cert, keyPath: key }],
        });
      },
      close: async () => apache[Symbol.asyncDispose](),
    },
  );
}
