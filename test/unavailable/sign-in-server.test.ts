// The database goes away while a client asks the authorization server: the answer is 503 and says when to try again, nothing is
// used up, and the same request succeeds afterwards.
import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { client as mcpClient } from "../mcp/site";
import {
  type Browser,
  form,
  type SignInSite,
  startSignInSite,
  TestClient,
  textAt,
  tokensIn,
} from "../people/authorization-server/site";
import { Failing } from "../support/failing-store";
import { FAILURES } from "./sweep";

setDefaultTimeout(20_000);

const failing = new Failing();
let site: SignInSite;
let gateway: string;
let alice: Browser;
let client: TestClient;
beforeAll(async () => {
  site = await startSignInSite({ parts: { openStore: failing.openStore } });
  gateway = await site.tokenGateway("workbench");
});
beforeEach(async () => {
  client = await TestClient.register(site.url);
  alice = await site.browser("alice");
});
afterAll(() => site[Symbol.asyncDispose]());

type Send = () => Promise<Response>;

const DEVICE = "urn:ietf:params:oauth:grant-type:device_code";

/** A device whose code alice has allowed. */
async function allowedDevice(): Promise<Send> {
  const begun: unknown = await (await form(`${site.url}/oauth/device`, { client_id: "runtime-cli" })).json();
  const page = await alice.open(`${site.url}/device?user_code=${textAt(begun, "user_code")}`);
  await alice.submit(page, "yes");
  const poll = { client_id: "runtime-cli", grant_type: DEVICE, device_code: textAt(begun, "device_code") };
  return () => form(`${site.url}/oauth/token`, poll);
}

/** Alice has answered; her browser goes back to the client, by way of this address. */
async function answered(): Promise<Send> {
  const page = await alice.open(client.authorizeUrl({ resource: gateway, prompt: "consent" }));
  const [, action = ""] = /<form method="post" action="([^"]*)">/.exec(page.text) ?? [];
  const [, token = ""] = /name="token" value="([^"]*)"/.exec(page.text) ?? [];
  const cookie = [...alice.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const answer = await fetch(new URL(action, site.url), {
    method: "POST",
    redirect: "manual",
    headers: {
      cookie,
      origin: new URL(site.url).origin,
      "content-type": "application/x-www-form-urlencoded",
    },
    body: new URLSearchParams({ token, answer: "yes" }),
  });
  const next = new URL(/url=(.*)$/.exec(answer.headers.get("refresh") ?? "")?.[1] ?? "", site.url);
  return () => fetch(next, { redirect: "manual", headers: { cookie } });
}

const requests: [name: string, good: number, prepare: () => Promise<Send>][] = [
  [
    "a refresh",
    200,
    async () => {
      const { refresh_token } = await client.tokens(alice, gateway);
      return () => client.refresh(refresh_token);
    },
  ],
  [
    "an exchange of a code",
    200,
    async () => {
      const code = await client.code(alice, gateway);
      return () => client.exchange(code);
    },
  ],
  ["an exchange of a device code", 200, allowedDevice],
  [
    "the begin of a device",
    200,
    async () => () => form(`${site.url}/oauth/device`, { client_id: "runtime-cli" }),
  ],
  [
    "a pushed request",
    201,
    async () => {
      const parameters = Object.fromEntries(new URL(client.authorizeUrl({ resource: gateway })).searchParams);
      return () => form(`${site.url}/oauth/par`, parameters);
    },
  ],
  [
    "the begin of an authorization",
    303,
    async () => () => fetch(client.authorizeUrl({ resource: gateway }), { redirect: "manual" }),
  ],
  ["the end of an authorization", 303, answered],
];

describe.each(FAILURES)("the database fails %s:", (_name, once) => {
  test.each(requests)("%s", async (_request, good, prepare) => {
    let number = 0;
    for (let hasFailed = true; hasFailed && number < 60;) {
      const send = await prepare();
      failing.from(++number, once);
      const first = await send();
      hasFailed = failing.end();
      const isUnavailable = first.status === 503;
      const retryAfter = first.headers.get("retry-after");
      expect([number, first.status, retryAfter]).toEqual([
        number,
        isUnavailable ? 503 : good,
        isUnavailable ? "1" : null,
      ]);
      if (isUnavailable) expect([number, (await send()).status]).toEqual([number, good]);
    }
    expect(number).toBeGreaterThan(1);
  });

  test("a revocation, after which the tokens have ended", async () => {
    for (let number = 1, hasFailed = true; hasFailed && number < 60; number++) {
      const { access_token, refresh_token: token } = await client.tokens(alice, gateway);
      const send = () => form(`${site.url}/oauth/revoke`, { client_id: client.id, token });
      failing.from(number, once);
      const first = await send();
      hasFailed = failing.end();
      if (first.status === 503) expect([number, (await send()).status]).toEqual([number, 200]);
      else expect([number, first.status]).toEqual([number, 200]);
      const { status } = await mcpClient(gateway, { key: access_token }).modern("tools/list");
      expect([number, status]).toEqual([number, 401]);
    }
  });
});

test("a second use of a refresh token ends the sign-in, also after a failure", async () => {
  const { refresh_token: used } = await client.tokens(alice, gateway);
  failing.from(1);
  await client.refresh(used);
  failing.end();
  const { refresh_token: next } = tokensIn(await (await client.refresh(used)).json());

  expect((await client.refresh(used)).status).toBe(400);
  expect((await client.refresh(next)).status).toBe(400);
});
