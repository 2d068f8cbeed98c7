// Everything that is stored about a user is exported, and an erasure leaves nothing of it.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../src/base";
import type { ErasedUser, UserExport } from "../../src/users";
import { TABLES } from "../../src/users/repository";
import { testOnSqlite } from "../support/on-sqlite";
import { dataKeysIn, rawFiles, valuesIn, wrappingKey } from "../support/raw-files";
import { dump } from "../server/stage";
import { addPersonRows, removePerson } from "./person-rows";
import { agent, deploy, type Deployment, idpRecord, operator } from "../tools/deployment";

const ERASED = "erased-user-CANARY";
const KEPT = "kept-user";
const DATA = /CANARY/;

type Tables = Record<string, number>;

/** Rows of all tables with the text, by table. */
function mentions(folder: string, text: string): Tables {
  const found: Tables = {};
  for (const name of ["runtime.db", "executions.db"]) {
    for (const [table, rows] of Object.entries(dump(join(folder, name)))) {
      const count = rows.filter((row) => JSON.stringify(row).includes(text)).length;
      if (count > 0) found[table] = count;
    }
  }
  return found;
}

/** A life of a user that leaves rows everywhere. */
async function live({ runtime, give, clock }: Deployment, user: string): Promise<void> {
  const connection = await give(user, {
    facts: { email: `${user}@example.com` },
    userInfo: { sub: `sub of ${user}` },
  });
  const by = agent();
  const echo = { tool_name: "Test.Echo", user_id: user, input: { text: `said by ${user}` } };
  await runtime.tools.execute(
    by,
    { tool_name: "Test.Call", user_id: user },
    { idempotencyKey: `key-of-${user}` },
  );
  await runtime.tools.execute(by, echo, { idempotencyKey: `echo-of-${user}` });
  const run_at = new Date(clock.now() + 3_600_000).toISOString();
  await runtime.tools.execute(by, { ...echo, run_at });
  await runtime.tools.authorize(by, { tool_name: "Test.Other", user_id: user }).catch(() => undefined);
  await addPersonRows(runtime.core.store, user);
  await runtime.sessions.begin({ projectId: "default", userId: user, method: "oidc", startedBy: user });
  await runtime.identity.createKey(operator(), {
    name: `for ${connection}`,
    role: "run",
    users: [user, KEPT],
  });
}

/** What a suspension has ended, again. */
async function addAccess({ runtime }: Deployment, user: string): Promise<void> {
  await removePerson(runtime.core.store, user);
  await addPersonRows(runtime.core.store, user);
  await runtime.sessions.begin({ projectId: "default", userId: user, method: "oidc", startedBy: "again" });
}

let deployment: Deployment;
let data: string;
let exported: UserExport;
let erased: ErasedUser;
let before: Tables;
let metrics: string;
beforeAll(async () => {
  deployment = await deploy();
  const { runtime, idp, folder } = deployment;
  data = join(folder, ".local/share/runtime");
  const record = idpRecord(idp);
  await runtime.providers.create(operator(), {
    ...record,
    oauth2: { ...record.oauth2, revoke_request: { endpoint: `${idp.url}/revoke` } },
  } as never);
  idp.otherwise({ status: 200, body: {} });
  await live(deployment, ERASED);
  await live(deployment, KEPT);
  await runtime.tools.execute(operator(), { tool_name: "Test.Echo", user_id: ERASED, input: { text: "x" } });
  await runtime.users.suspend(operator(), ERASED);
  // A suspension ends what acts for a person.
  await addAccess(deployment, ERASED);
  exported = await runtime.users.export(operator(), ERASED);
  metrics = (await runtime.metrics.page(undefined, undefined)).text;
  before = mentions(data, ERASED);
  erased = await runtime.users.erase(operator(), ERASED);
});
afterAll(() => deployment[Symbol.asyncDispose]());

test("the user is named by tables of every area before", () => {
  expect(Object.keys(before).toSorted()).toEqual([
    "api_keys",
    "audit_people",
    "browser_sessions",
    "client_grants",
    "connections",
    "executions",
    "idempotency",
    "identities",
    "oauth_items",
    "passkeys",
    "people",
    "scheduled_runs",
    "sign_in_links",
    "suspended_users",
    "workloads",
  ]);
});

test("metrics count the user's calls and never name the user", () => {
  expect(metrics).toMatch(/tool="Test.Echo"|tool="Echo"/);
  expect(metrics).not.toMatch(DATA);
});

describe("an export", () => {
  test("has the facts, the inputs and the results of the user, and no token", () => {
    expect(exported.connections).toMatchObject([
      { facts: { email: `${ERASED}@example.com` }, user_info: { sub: `sub of ${ERASED}` } },
    ]);
    expect(exported.scheduled_runs).toMatchObject([{ input: { text: `said by ${ERASED}` } }]);
    expect(JSON.stringify(exported.answers)).toContain(`said by ${ERASED}`);
    expect(JSON.stringify(exported)).not.toContain(`access-of-${ERASED}`);
    expect(JSON.stringify(exported)).not.toContain(`refresh-of-${ERASED}`);
    expect(JSON.stringify(exported)).not.toContain(KEPT);
  });

  test("lists everything that an erasure removes", () => {
    const { audit: _stays, ...lists } = exported;
    const counts = Object.entries(lists).flatMap(([name, value]) =>
      Array.isArray(value) ? [[name, value.length] as const] : [],
    );
    expect(erased.erased).toEqual(Object.fromEntries(counts));
    expect(erased.erased).toMatchObject({ connections: 1, scheduled_runs: 1, answers: 2, keys: 1 });
  });

  test("names each table that names the user", () => {
    const known: Record<string, readonly unknown[]> = {
      api_keys: exported.keys,
      audit_people: exported.audit,
      browser_sessions: exported.sessions,
      client_grants: exported.clients,
      identities: exported.identities,
      oauth_items: exported.client_tokens,
      passkeys: exported.passkeys,
      people: exported.people,
      sign_in_links: exported.sign_in_links,
      workloads: exported.workloads,
      connections: exported.connections,
      executions: exported.executions,
      idempotency: exported.answers,
      scheduled_runs: exported.scheduled_runs,
      suspended_users: exported.suspensions,
    };
    const empty = Object.keys(before).filter((table) => (known[table]?.length ?? 0) === 0);
    expect(empty).toEqual([]);
  });
});

/** The tables of the lists of an export: from the statements that read them. */
const TABLES_OF: ReadonlyMap<string, string> = new Map([
  ...TABLES.map(({ name, rows }): [string, string] => [name, / FROM (\w+) /.exec(rows.text)?.[1] ?? ""]),
  ["connections", "connections"],
  ["revocations", "revocations"],
  ["executions", "executions"],
]);

test("what an export lists and what an erasure removes are the same, by the tables", async () => {
  await using both = await deploy();
  const folder = join(both.folder, ".local/share/runtime");
  await both.addProvider();
  await live(both, ERASED);
  await both.runtime.tools.authorize(agent(), { tool_name: "Test.Narrow", user_id: ERASED });
  await both.runtime.users.suspend(operator(), ERASED);
  await addAccess(both, ERASED);
  const lists = Object.entries(await both.runtime.users.export(operator(), ERASED)).flatMap(([name, rows]) =>
    Array.isArray(rows) && rows.length > 0 && name !== "audit" ? [name] : [],
  );
  const named = Object.keys(mentions(folder, ERASED)).filter((table) => table !== "audit_people");
  await both.runtime.users.erase(operator(), ERASED);
  const left = Object.keys(mentions(folder, ERASED));

  expect(lists.map((name) => TABLES_OF.get(name)).toSorted()).toEqual(named.toSorted());
  expect(left).toEqual([]);
  // No list of the export is without a table.
  expect([...TABLES_OF.values()].filter((table) => table === "")).toEqual([]);
});

describe("an erasure", () => {
  test("revokes the grant at the provider", () => {
    const revoked = deployment.idp.requests.filter(({ address }) => address.startsWith("/revoke"));
    expect(revoked.length).toBe(1);
    expect([erased.revoked, erased.to_revoke]).toEqual([1, 0]);
  });

  test("leaves no row that names the user", () => {
    expect(mentions(data, ERASED)).toEqual({});
  });

  test("leaves the other user as it was, and a shared key acts for that one only", async () => {
    const other = await deployment.runtime.users.export(operator(), KEPT);
    expect(other.connections.length).toBe(1);
    expect(other.executions.length).toBeGreaterThan(1);
    const { items } = await deployment.runtime.identity.listKeys(operator());
    expect(items.map(({ users }) => users)).toEqual(items.map(() => expect.not.arrayContaining([ERASED])));
    expect(items.every(({ users = [] }) => users === null || users.includes(KEPT))).toBe(true);
  });

  test("keeps the entries of the audit trail under a pseudonym", async () => {
    const { items } = await deployment.runtime.trail.audit(operator(), { limit: 100 });
    const erasure = items.find(({ action }) => action === "user.erase");
    expect(erasure?.details).toEqual({ user: expect.stringMatching(/^ps_[0-9a-f]{32}$/) });
    expect(JSON.stringify(items)).not.toMatch(DATA);
  });

  test("is of one project", async () => {
    const { runtime } = deployment;
    await runtime.identity.createProject(operator(), "other", "Other");
    const echo = { tool_name: "Test.Echo", user_id: KEPT, input: { text: "x" } };
    await runtime.tools.execute(agent(null, "other"), echo);
    await runtime.users.erase(operator("other"), KEPT);

    expect((await runtime.users.export(operator("other"), KEPT)).executions).toEqual([]);
    expect((await runtime.users.export(operator(), KEPT)).executions.length).toBeGreaterThan(1);
  });

  testOnSqlite("leaves nothing in the files, not even sealed", async () => {
    const { runtime, folder, logLines } = deployment;
    const root = readFileSync(join(folder, ".config/runtime/root.key"), "utf8");
    await runtime.close();
    const raw = rawFiles(data);
    const values = valuesIn(raw, dataKeysIn(raw, [wrappingKey(root)]));

    expect(values.some((value) => value.includes(KEPT))).toBe(true);
    expect(values.filter((value) => DATA.test(value))).toEqual([]);
    expect(DATA.test(raw)).toBe(false);
    const told = logLines.filter((line) => DATA.test(line) && !line.includes('"level":"debug"'));
    expect(told).toEqual([]);
  });
});

describe("an erasure while the provider is down", () => {
  test("leaves an order that names no user, and is carried out later", async () => {
    await using late = await deploy();
    const { runtime, idp, folder, clock } = late;
    const record = idpRecord(idp);
    await runtime.providers.create(operator(), {
      ...record,
      oauth2: { ...record.oauth2, revoke_request: { endpoint: `${idp.url}/revoke` } },
    } as never);
    await late.give(ERASED);
    idp.otherwise({ status: 503 });
    const { to_revoke } = await runtime.users.erase(operator(), ERASED);
    const files = mentions(join(folder, ".local/share/runtime"), ERASED);
    idp.otherwise({ status: 200, body: {} });
    clock.move(3_600_000);
    const stop = new AbortController();
    const worked = runtime.connections.revocations.work(stop.signal, async () => undefined);
    const sent = (): string[] =>
      idp.requests.filter(({ address }) => address.startsWith("/revoke")).map(({ body }) => body);
    while (sent().length < 2) await Bun.sleep(5);
    stop.abort();
    await worked;

    expect([to_revoke, files]).toEqual([1, {}]);
    expect(sent().at(-1)).toBe(sent()[0]);
  });

  test("ends a consent that waits for its user", async () => {
    await using waiting = await deploy();
    await waiting.addProvider();
    const { runtime, folder } = waiting;
    const started = await runtime.tools.authorize(agent(), { tool_name: "Test.Call", user_id: ERASED });
    const { erased: counts } = await runtime.users.erase(operator(), ERASED);

    expect([started.status, counts["consents"]]).toEqual(["pending", 1]);
    expect(mentions(join(folder, ".local/share/runtime"), ERASED)).toEqual({});
  });
});

test.each([
  ["in any process", 0],
  ["also while a clock runs days ahead", 3 * 86_400_000],
])("a call that is in progress adds no entry to the log afterwards, %s", async (_case, aheadMs) => {
  await using busy = await deploy();
  await busy.addProvider();
  await busy.give(ERASED);
  const data = join(busy.folder, ".local/share/runtime");
  const other = await busy.another();
  const released = Promise.withResolvers<void>();
  busy.platform.hold(released.promise);
  const running = other.tools.execute(agent(), { tool_name: "Test.Call", user_id: ERASED });
  while (busy.platform.calls.length === 0) await Bun.sleep(1);
  await busy.runtime.users.erase(operator(), ERASED);
  busy.clock.jump(aheadMs);
  await other.tools.execute(agent(), { tool_name: "Test.Echo", user_id: KEPT, input: { text: "ahead" } });
  await other.users.export(operator(), KEPT);
  busy.clock.jump(-aheadMs);
  released.resolve();
  await running.catch(() => undefined);
  const after = (await other.users.export(operator(), ERASED)).executions;
  await other.tools.execute(agent(), { tool_name: "Test.Echo", user_id: ERASED, input: { text: "again" } });

  expect(after).toEqual([]);
  expect((await other.users.export(operator(), ERASED)).executions).toHaveLength(1);
  expect(mentions(data, ERASED)["executions"]).toBe(1);
});

describe.each([
  ["right", 0],
  ["a minute ahead", 60_000],
  ["a minute behind", -60_000],
])("at a server whose clock is %s", (_name, skew) => {
  const skewed = ({ now, monotonic, sleep }: Clock): Clock => ({ now: () => now() + skew, monotonic, sleep });
  const echo = { tool_name: "Test.Echo", user_id: ERASED, input: { text: "x" } };

  test("a call that began before an erasure elsewhere adds no entry", async () => {
    await using busy = await deploy();
    await busy.addProvider();
    await busy.give(ERASED);
    const other = await busy.another({ clock: skewed(busy.clock) });
    const released = Promise.withResolvers<void>();
    busy.platform.hold(released.promise);
    const running = other.tools.execute(agent(), { tool_name: "Test.Call", user_id: ERASED });
    while (busy.platform.calls.length === 0) await Bun.sleep(1);
    await busy.runtime.users.erase(operator(), ERASED);
    released.resolve();
    await running.catch(() => undefined);

    expect((await other.users.list(operator(), {})).items).toEqual([]);
  });

  test("a user who comes back after an erasure elsewhere has entries again", async () => {
    await using busy = await deploy();
    // So that no call is older than its project.
    busy.clock.move(3_600_000);
    const other = await busy.another({ clock: skewed(busy.clock) });
    await other.tools.execute(agent(), echo);
    await busy.runtime.users.erase(operator(), ERASED);
    await other.tools.execute(agent(), echo);

    expect((await other.users.export(operator(), ERASED)).executions).toHaveLength(1);
  });
});

test("digests of erased users are kept for a day", async () => {
  await using fresh = await deploy();
  const data = join(fresh.folder, ".local/share/runtime");
  const { runtime, clock } = fresh;
  const kinds = async (): Promise<unknown[]> => {
    await runtime.tools.execute(agent(), { tool_name: "Test.Echo", user_id: KEPT, input: { text: "x" } });
    await runtime.users.list(operator(), {});
    return (dump(join(data, "executions.db"))["last_used"] ?? []).map((row) => Object(row).kind).toSorted();
  };
  // Nothing is deleted before a clock was seen going on for a day.
  await kinds();
  clock.move(25 * 3_600_000);
  await kinds();
  await runtime.users.erase(operator(), ERASED);
  clock.move(23 * 3_600_000);
  await runtime.users.erase(operator(), "another");
  const both = await kinds();
  clock.move(2 * 3_600_000);
  const one = await kinds();
  clock.move(24 * 3_600_000);

  expect(both).toEqual(["erasure", "erasure", "erasure number", "erasure number"]);
  expect(one).toEqual(["erasure", "erasure number"]);
  expect(await kinds()).toEqual([]);
});

testOnSqlite("every column with a user is known to the erasure", async () => {
  await using fresh = await deploy();
  const data = join(fresh.folder, ".local/share/runtime");
  const found = ["runtime.db", "executions.db"].flatMap((name) => {
    using database = new Database(join(data, name), { readonly: true });
    return database
      .query<{ name: string }, []>(
        "SELECT DISTINCT tables.name FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns " +
          "WHERE tables.type = 'table' AND (columns.name LIKE '%user%' OR columns.name = 'actor') ORDER BY 1",
      )
      .all()
      .map(({ name: table }) => table);
  });

  // `api_keys` and `audit` name users in lists and by pseudonyms; `gateways` names a provider of users.
  expect(found.toSorted()).toEqual(
    [
      "api_keys",
      "audit",
      "audit_people",
      "authorizations",
      "browser_sessions",
      "client_grants",
      "identities",
      "oauth_items",
      "passkeys",
      "people",
      "sign_in_links",
      "workloads",
      "connections",
      "executions",
      "gateways",
      "idempotency",
      "revocations",
      "scheduled_runs",
      "suspended_users",
    ].toSorted(),
  );
});
