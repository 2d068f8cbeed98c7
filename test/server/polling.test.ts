// The status of a consent, and waiting for its end.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { extensions } from "../../catalogs";
import { startServer } from "../../server";
import { silentLog } from "../../src/base";
import { loadConfig } from "../support/config";
import { createRuntime } from "../../src/runtime";
import { type ApiAnswer, api, at } from "../support/api";
import { Browser } from "../support/browser";
import { agreed, atProvider, finish } from "./flows";
import { type RawAnswer, sendRaw } from "./raw";
import { type Scenario, scenarios } from "./scenario";
import { type Stage, startConsent, startStage } from "./stage";

let stage: Stage;
let redirect = "";
/** Longer than the ten seconds after which Bun would close a silent connection. */
let longPoll: Promise<ApiAnswer>;
/** A sender of headers that take 100 s, longer than a test may; cut off meanwhile. */
let slowHead: Promise<RawAnswer>;
beforeAll(async () => {
  stage = await startStage();
  const admin = api(stage.site.url, stage.keys.admin);
  redirect = String(at((await admin.get("/v1/admin/auth_providers/slack")).body, "oauth2.redirect_uri"));
  const { id } = await startConsent(stage, { user_id: "patient" });
  longPoll = poll(id, 12);
  const lines = Array.from({ length: 200 }, (_line, count) => `x-${count}: slow\r\n`);
  slowHead = sendRaw(stage.site.url, ["GET /v1/health HTTP/1.1\r\nhost: x\r\n", ...lines], 500);
});
afterAll(() => stage[Symbol.asyncDispose]());

const poll = (id: string, wait: number | string): Promise<ApiAnswer> =>
  api(stage.site.url, stage.keys.run).get(`/v1/auth/status?id=${id}&wait=${wait}`);

/** Returns after the server has received what was sent before. */
const received = async (id: string): Promise<void> => void (await poll(id, 0));

/** The names of the polls in the order in which they are answered. */
async function orderOf(polls: Readonly<Record<string, Promise<unknown>>>): Promise<string[]> {
  const order: string[] = [];
  await Promise.all(Object.entries(polls).map(([name, answer]) => answer.then(() => order.push(name))));
  return order;
}

/** Seconds of a wait that no test outlasts: an answer shows that something ended the wait. */
const LONGER_THAN_A_TEST = 59;

const statusIn = ({ body }: ApiAnswer) => at(body, "status");

test("the address of a pending consent is shown only to those who may send its user there", async () => {
  const { id, url } = await startConsent(stage, { user_id: "addressed" });
  const path = `/v1/auth/status?id=${id}`;
  const seen = await Promise.all(
    (["run", "admin", "read"] as const).map((key) => api(stage.site.url, stage.keys[key]).get(path)),
  );

  expect(seen.map(statusIn)).toEqual(["pending", "pending", "pending"]);
  expect(seen.map(({ body }) => at(body, "url"))).toEqual([url, url, undefined]);
});

describe("a request", () => {
  const get = (query: string) => ({ method: "GET", path: `/v1/auth/status?${query}`, as: "run" as const });
  const bad = ["60", "-1", "1.5", "abc", "", "%20", "1e1", "0x1", "NaN", "99999999999999999999", "1,2"];
  const rows: Scenario[] = [
    ...bad.map((wait) => ({
      name: `with wait=${wait} is 400 [fault: endless-polling]`,
      ...get(`id=ar_x&wait=${wait}`),
      status: 400,
      contains: ["wait must"],
    })),
    { name: "without an id is 400", ...get("wait=1"), status: 400, contains: ["id is required"] },
    { name: "with an empty id is 400", ...get("id="), status: 400, contains: ["id must"] },
    {
      name: "with an id of 101 letters is 400",
      ...get(`id=${"x".repeat(101)}`),
      status: 400,
      contains: ["id must"],
    },
    {
      name: "with an unknown id is 400",
      ...get("id=ar_none"),
      status: 400,
      error: "invalid_parameter",
      lacks: ["ar_none"],
    },
    { name: "with an unknown id and a wait is 400 at once", ...get("id=ac_none&wait=59"), status: 400 },
    { name: "with an id of another kind is 400", ...get("id=slack"), status: 400 },
  ];
  scenarios(() => stage, rows);

  test("of another project is told the same as of an unknown id", async () => {
    const { id } = await startConsent(stage, { user_id: "foreign" });
    const other = api(stage.site.url, stage.keys.other);
    const [foreign, unknown] = [
      await other.get(`/v1/auth/status?id=${id}&wait=59`),
      await other.get("/v1/auth/status?id=ar_none"),
    ];
    expect(foreign.status).toBe(400);
    expect(foreign.text).toBe(unknown.text);
  });
});

describe("a consent that is pending", () => {
  test("is answered at once without a wait, with its address", async () => {
    const { id, url } = await startConsent(stage, { user_id: "pending" });
    for (const wait of [0, "0"]) {
      const immediate = poll(id, wait);
      expect(await orderOf({ second: poll(id, 1), immediate })).toEqual(["immediate", "second"]);
      expect((await immediate).body).toMatchObject({
        id,
        status: "pending",
        url,
        user_id: "pending",
        scopes: ["users:read"],
        context: {},
      });
    }
  });

  test("is answered when the wait is over", async () => {
    const { id } = await startConsent(stage, { user_id: "waiting" });
    const polls = { long: poll(id, 3), short: poll(id, 1), without: poll(id, 0) };
    expect(await orderOf(polls)).toEqual(["without", "short", "long"]);
    for (const answer of await Promise.all(Object.values(polls))) expect(statusIn(answer)).toBe("pending");
  });
});

/** The answer to a poll that arrives before the act. */
async function wokenBy(id: string, act: () => Promise<unknown>): Promise<ApiAnswer> {
  const polling = poll(id, LONGER_THAN_A_TEST);
  await received(id);
  await act();
  return polling;
}

describe("a poller wakes long before its own wait ends", () => {
  test("when the person has consented", async () => {
    const flow = await agreed(stage);
    const answer = await wokenBy(flow.id, () => finish(stage, flow));
    expect(answer.body).toMatchObject({ id: flow.id, status: "completed", scopes: ["users:read"] });
    expect(at(answer.body, "url")).toBeUndefined();
  });

  test("when the provider says no [fault: endless-polling]", async () => {
    const { id, browser, state } = await atProvider(stage);
    const deny = () => browser.open(`${redirect}?error=access_denied&state=${state}`);
    expect(statusIn(await wokenBy(id, deny))).toBe("failed");
  });

  test("with fifty others that wait for the same", async () => {
    const flow = await agreed(stage);
    const polls = Array.from({ length: 50 }, () => poll(flow.id, LONGER_THAN_A_TEST));
    await received(flow.id);
    await finish(stage, flow);
    for (const answer of await Promise.all(polls)) expect(statusIn(answer)).toBe("completed");
  });

  test("when another process finishes the consent [fault: endless-polling]", async () => {
    const { environment } = stage.site;
    const second = await createRuntime(loadConfig({ environment }), extensions, { log: silentLog });
    const server = await startServer(second);
    try {
      const { id, url } = await startConsent(stage, { user_id: "elsewhere" });
      const there = url.replace(stage.site.url, server.address);
      const answer = await wokenBy(id, () => new Browser().consent(there, "alice"));
      expect(statusIn(answer)).toBe("completed");
    } finally {
      await server.stop();
      await second.close();
    }
  });

  test("and one that has hung up is not waited for", async () => {
    const { id } = await startConsent(stage, { user_id: "gone" });
    const ended = () =>
      stage.site.logLines.filter((line) => line.includes('"path":"/v1/auth/status"')).length;
    const abort = new AbortController();
    const headers = { authorization: stage.keys.run };
    const { signal } = abort;
    const request = fetch(`${stage.site.url}/v1/auth/status?id=${id}&wait=59`, { headers, signal });
    await received(id);
    const before = ended();
    abort.abort();
    await request.catch(() => undefined);
    for (let tries = 0; ended() === before && tries < 500; tries++) await Bun.sleep(20);
    expect(ended()).toBe(before + 1);
  });
});

describe("a consent that has ended", () => {
  test("well is answered at once, under both its ids", async () => {
    const flow = await agreed(stage, { user_id: "ended" });
    await finish(stage, flow);
    const admin = api(stage.site.url, stage.keys.admin);
    const list = await admin.get("/v1/admin/user_connections?user_id=ended");
    const pending = await startConsent(stage, { user_id: "still pending" });
    for (const id of [flow.id, String(at(list.body, "items.0.id"))]) {
      const ended = poll(id, LONGER_THAN_A_TEST);
      expect(await orderOf({ pending: poll(pending.id, 1), ended })).toEqual(["ended", "pending"]);
      expect((await ended).body).toMatchObject({
        id,
        status: "completed",
        user_id: "ended",
        provider_id: "slack",
      });
    }
  });

  test("badly is answered after a pause, since clients ask again and again", async () => {
    const { id, browser, state } = await atProvider(stage);
    await browser.open(`${redirect}?error=access_denied&state=${state}`);
    const polls = { long: poll(id, LONGER_THAN_A_TEST), short: poll(id, 1), without: poll(id, 0) };
    expect(await orderOf(polls)).toEqual(["without", "short", "long"]);
    for (const answer of await Promise.all(Object.values(polls))) expect(statusIn(answer)).toBe("failed");
  });
});

test("twelve seconds without an event end in an answer, not in a closed connection [fault: silent-request]", async () => {
  const answer = await longPoll;
  expect({ status: answer.status, state: statusIn(answer) }).toEqual({ status: 200, state: "pending" });
}, 20_000);

test("a head that trickles in is cut off, and the server answers others meanwhile", async () => {
  expect((await fetch(`${stage.site.url}/v1/health`)).status).toBe(200);
  // Bun's own limit: some ten seconds, checked every four.
  expect((await slowHead).status).not.toBe(200);
}, 25_000);
