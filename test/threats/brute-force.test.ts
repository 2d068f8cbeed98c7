// Guessing credentials: wherever a credential is checked, bad ones are limited by address and by key prefix, and good ones
// from the same address go on working.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { BadCredentials } from "../../server/bad-credentials";
import { silentLog, systemClock } from "../../src/base";
import { noTelemetry } from "../../src/telemetry";
import { newApiKey, systemRandom } from "../../src/crypto";
import { invalidAuthorization } from "../../src/errors";
import { Limits } from "../../src/limits";
import { api, at } from "../support/api";
import { loadConfig } from "../support/config";
import { type Stage, startStage } from "../server/stage";
import { printFigure } from "./figure";

// Only tests move it, so that no bucket fills on a slow machine.
let moved = 0;
const clock = { ...systemClock, monotonic: () => moved };

let stage: Stage;
beforeAll(async () => {
  // Requests name their address as behind a proxy.
  const environment = { RUNTIME_HTTP_TRUSTED_PROXIES: "127.0.0.1" };
  stage = await startStage({ environment, parts: { clock } });
  const admin = api(stage.site.url, stage.keys.admin);
  const gateway = { name: "Guessed", slug: "guessed", auth_type: "arcade_header" };
  await admin.post("/v1/orgs/default/projects/default/gateways", gateway);
});
afterAll(() => stage[Symbol.asyncDispose]());
beforeEach(() => {
  moved += 3_600_000;
});

interface Attempt {
  address: string;
  credential?: string;
  path?: string;
  method?: string;
}

function attempt({ address, credential = newApiKey(systemRandom), path = "/v1/tools", method }: Attempt) {
  return fetch(stage.site.url + path, {
    method: method ?? (path.startsWith("/mcp/") ? "POST" : "GET"),
    redirect: "manual",
    headers: {
      "x-forwarded-for": address,
      ...(credential === "" ? {} : { authorization: `Bearer ${credential}` }),
    },
  });
}

async function statuses(count: number, each: Attempt | ((index: number) => Attempt)): Promise<number[]> {
  const found: number[] = [];
  for (let index = 0; index < count; index++)
    found.push((await attempt(typeof each === "function" ? each(index) : each)).status);
  return found;
}

const times = (count: number, status: number): number[] => Array.from({ length: count }, () => status);

describe("bad credentials of one address", () => {
  test("are refused after a burst of 50, with the time to wait", async () => {
    const address = "198.51.100.1";
    expect(await statuses(50, { address })).toEqual(times(50, 401));

    const refused = await attempt({ address });
    const body: unknown = await refused.json();

    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(refused.headers.get("x-should-retry")).toBe("false");
    expect(body).toMatchObject({ name: "rate_limited", status: 429 });
    printFigure("brute force", "50 bad credentials answered, the 51st refused, then 10 a second");
  });

  test("are answered 10 a second after that", async () => {
    const address = "198.51.100.2";
    await statuses(60, { address });
    moved += 1000;
    const second = await statuses(20, { address });
    expect(second).toEqual([...times(10, 401), ...times(10, 429)]);
  });

  test("do not lock out a good credential from there", async () => {
    const address = "198.51.100.3";
    await statuses(60, { address });
    expect(await statuses(3, { address, credential: stage.keys.run })).toEqual(times(3, 200));
    expect((await attempt({ address })).status).toBe(429);
  });

  test("do not count for another address", async () => {
    await statuses(60, { address: "198.51.100.4" });
    expect((await attempt({ address: "198.51.100.5" })).status).toBe(401);
  });

  test("count for the whole /64 of an IPv6 address, and not for the next one", async () => {
    const sent = await statuses(60, (index) => ({ address: `2001:db8:0:1::${index.toString(16)}` }));
    expect(sent.slice(50)).toEqual(times(10, 429));
    expect((await attempt({ address: "2001:db8:0:2::1" })).status).toBe(401);
  });

  test("tell the operator the setting, once a minute, and no credential", async () => {
    const { logLines } = stage.site;
    const address = "198.51.100.6";
    const credential = newApiKey(systemRandom);
    const before = logLines.length;
    await statuses(60, { address, credential });

    const lines = logLines.slice(before).filter((line) => line.includes("limits.bad_credentials"));

    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(address);
    expect(logLines.slice(before).join("\n")).not.toContain(credential);
  });
});

test("one key prefix is limited however many addresses try it", async () => {
  const prefix = "rt_aaaaaa";
  const guess = (index: number): Attempt => ({
    address: `203.0.113.${index}`,
    credential: prefix + newApiKey(systemRandom).slice(prefix.length),
  });
  expect(await statuses(60, guess)).toEqual([...times(50, 401), ...times(10, 429)]);
  expect((await attempt({ address: "203.0.113.99" })).status).toBe(401);
});

// [what, the request, the status before the limit]
const ENTRY_POINTS: [string, Omit<Attempt, "address">, number][] = [
  ["an operation", { path: "/v1/tools" }, 401],
  ["an administrative operation", { path: "/v1/admin/secrets" }, 401],
  ["an operation with a project in the path", { path: "/v1/orgs/default/projects/default/tools" }, 401],
  ["a chat completion", { path: "/v1/chat/completions", method: "POST" }, 401],
  ["a response", { path: "/v1/responses", method: "POST" }, 401],
  ["an embedding", { path: "/v1/embeddings", method: "POST" }, 401],
  ["a gateway", { path: "/mcp/guessed" }, 401],
  ["a user token", { credential: "aaaa.bbbb.cccc" }, 401],
  ["garbage", { credential: "garbage" }, 401],
  ["the address of a consent", { path: "/authorize/guessed", credential: "" }, 404],
  ["the confirmation of a consent", { path: "/authorize/guessed", method: "POST", credential: "" }, 404],
  ["the state of a callback", { path: "/api/v1/oauth/x/callback?state=s&code=c", credential: "" }, 400],
  ["the state of a sign-in", { path: "/api/v1/auth/callback?state=s&code=c", credential: "" }, 400],
];
test.each(ENTRY_POINTS)("%s is limited", async (what, request, status) => {
  const address = `192.0.2.${ENTRY_POINTS.findIndex(([name]) => name === what) + 1}`;
  expect(await statuses(52, { address, ...request })).toEqual([...times(50, status), 429, 429]);
});

test("a request without a credential is not counted: clients send one to find out how to sign in", async () => {
  expect(await statuses(60, { address: "192.0.2.100", credential: "" })).toEqual(times(60, 401));
});

test("a role that may not do something has a good credential", async () => {
  const forbidden = {
    address: "192.0.2.101",
    credential: stage.keys.read,
    path: "/v1/auth/authorize",
    method: "POST",
  };
  expect(await statuses(60, forbidden)).toEqual(times(60, 403));
});

test("counters are bounded: the newest are kept, the oldest are forgotten", () => {
  const { settings } = loadConfig({ environment: { HOME: "/nonexistent" } });
  const bad = new BadCredentials(
    new Limits({ settings, clock, log: silentLog, telemetry: noTelemetry }),
    clock,
  );
  const request = new Request("http://localhost/", { headers: { authorization: "x" } });
  const error = invalidAuthorization("wrong");
  const addressOf = (index: number) => `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
  const guess = (index: number) => bad.counted(error, request, addressOf(index));
  for (let count = 0; count < 60; count++) guess(0);
  expect(guess(0)).toMatchObject({ name: "rate_limited" });

  for (let index = 1; index <= 60_000; index++) guess(index);

  expect(guess(0)).toBe(error);
  for (let count = 0; count < 49; count++) expect(guess(60_000)).toBe(error);
  expect(guess(60_000)).toMatchObject({ name: "rate_limited" });
});

test("an identity provider that cannot be reached is not the fault of a token", async () => {
  const environment = {
    RUNTIME_HTTP_TRUSTED_PROXIES: "127.0.0.1",
    // Nothing listens there.
    RUNTIME_AUTH_URL: "http://127.0.0.1:9",
  };
  await using other = await startStage({ environment, parts: { clock } });
  const token = "aaaa.bbbb.cccc";
  const found = new Set<string>();
  for (let count = 0; count < 60; count++) {
    const answer = await api(other.site.url, token).get("/v1/tools");
    found.add(`${answer.status} ${String(at(answer.body, "name"))}`);
  }
  expect([...found]).toEqual(["401 invalid_authorization"]);
});
