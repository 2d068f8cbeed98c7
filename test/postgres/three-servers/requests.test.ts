// What requests at three servers on one database must not do twice, or more often than they may.
import { afterAll, beforeAll, describe, expect } from "bun:test";
import { rateLimitOf } from "../../../server/rate-limit";
import { api, at, call } from "../../support/api";
import { hasPostgres, testOnPostgres } from "../../support/postgres/programs";
import { startThreeServers, type ThreeServers } from "./servers";

const CONSENTS = 5;
const RUNS = 4;
const GATEWAYS = "/v1/orgs/default/projects/default/gateways";

let three: ThreeServers;
let admin: string;
let agent: string;
beforeAll(async () => {
  if (!hasPostgres) return;
  three = await startThreeServers({
    environment: {
      RUNTIME_LIMITS_PENDING_CONSENTS_PER_USER: String(CONSENTS),
      RUNTIME_LIMITS_SCHEDULED_RUNS_PER_PROJECT: String(RUNS),
    },
  });
  admin = await three.key("admin");
  agent = await three.key("run");
}, 60_000);
afterAll(async () => three?.[Symbol.asyncDispose]());

const together = <T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));
const client = (index: number, key = agent) => api(three.at(index).address, key);
const countOf = (statuses: readonly number[], status: number): number =>
  statuses.filter((one) => one === status).length;

testOnPostgres(
  "30 requests with one Idempotency-Key send one message and get equal answers",
  async () => {
    const { chat } = three;
    await three.consent(agent, "alice", "Chat.SendMessage");
    chat.clearRequests();
    chat.fail("chat.postMessage", { kind: "delay", ms: 300 });
    const body = {
      tool_name: "Chat.SendMessage",
      user_id: "alice",
      input: { channel_name: "general", message: "once" },
    };

    const answers = await together(30, (index) =>
      call(three.at(index).address, {
        method: "POST",
        path: "/v1/tools/execute",
        key: agent,
        body,
        headers: { "idempotency-key": "thirty" },
      }),
    );

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(at(answers[0]?.body, "success")).toBe(true);
    expect(chat.calls("chat.postMessage")).toBe(1);
  },
  30_000,
);

describe("caps count over all servers:", () => {
  testOnPostgres(`${CONSENTS} consents of a user may be pending`, async () => {
    const answers = await together(24, (index) =>
      client(index).post("/v1/auth/authorize", {
        user_id: "caps",
        auth_requirement: { id: "slack", oauth2: { scopes: [`scope-${index}`] } },
      }),
    );
    const statuses = answers.map(({ status }) => status);
    expect([countOf(statuses, 200), countOf(statuses, 429)]).toEqual([CONSENTS, 24 - CONSENTS]);
  });

  testOnPostgres(`${RUNS} scheduled runs may be open`, async () => {
    const run_at = new Date(Date.now() + 3600_000).toISOString();
    const answers = await together(24, (index) =>
      client(index).post("/v1/tools/execute", { tool_name: "Chat.WhoAmI", user_id: "alice", run_at }),
    );
    const statuses = answers.map(({ status }) => status);
    expect([countOf(statuses, 200), countOf(statuses, 429)]).toEqual([RUNS, 24 - RUNS]);
  });

  testOnPostgres(
    "one of 20 gateways gets a slug, in 20 races",
    async () => {
      for (let race = 0; race < 20; race++) {
        const record = { name: "Racer", slug: `race-${race}`, auth_type: "arcade_header" };
        const answers = await together(20, (index) => client(index, admin).post(GATEWAYS, record));
        const statuses = answers.map(({ status }) => status);
        expect([countOf(statuses, 201), countOf(statuses, 409)]).toEqual([1, 19]);
      }
    },
    60_000,
  );
});

testOnPostgres("a rate limit counts at each server by itself, as documented", () => {
  const limits = three.all.map(({ runtime }) => {
    const { clock, settings } = runtime.core;
    return rateLimitOf({ ...settings, "http.rate_limit": 2 }, { ...clock, now: () => 0 });
  });
  const caller = { kind: "key", keyId: "key_1", projectId: "default", role: "run", users: null } as const;
  for (const limit of limits) {
    limit?.take(caller);
    limit?.take(caller);
    expect(() => limit?.take(caller)).toThrow("may send 2 requests a minute");
  }
});

testOnPostgres("the entries of all servers are one chain of the audit trail", async () => {
  const before = await three.at(0).runtime.inspection.verify();
  await together(30, (index) =>
    client(index, admin).post(`/v1/admin/secrets/CHAIN_${index % 7}`, { value: `value ${index}` }),
  );
  const entries = await Promise.all(three.all.map(({ runtime }) => runtime.inspection.verify()));

  expect(entries.map(({ problems }) => problems)).toEqual([[], [], []]);
  expect(before.problems).toEqual([]);
  expect(new Set(entries.map((one) => JSON.stringify(one))).size).toBe(1);
  const listed = await client(1, admin).get("/v1/admin/audit?limit=100");
  const secrets = (at(listed.body, "items") as { action: string; target: string }[]).filter(
    ({ action }) => action === "secret.upsert",
  );
  expect(secrets.length).toBe(30);
});

testOnPostgres(
  "of changes with the tag of the same record, at any server, one is made",
  async () => {
    const PROVIDER = "/v1/admin/auth_providers/slack";
    for (let round = 0; round < 10; round++) {
      const tags = await together(3, async (index) => {
        const { headers } = await call(three.at(index).address, {
          method: "GET",
          path: PROVIDER,
          key: admin,
        });
        return headers.get("etag") ?? "";
      });
      expect(new Set(tags).size).toBe(1);

      const answers = await together(9, (index) =>
        call(three.at(index).address, {
          method: "PATCH",
          path: PROVIDER,
          key: admin,
          body: { description: `round ${round}, change ${index}` },
          headers: { "if-match": tags[0] ?? "" },
        }),
      );

      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
        200,
        ...Array.from({ length: 8 }, () => 412),
      ]);
    }
  },
  60_000,
);
