// What the tests of the HTTP front share: a deployment with a movable clock and named keys, and its state as rows.
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { type Clock, systemClock } from "../../src/base";
import { loadConfig } from "../support/config";
import type { Role } from "../../src/identity";
import { api, at } from "../support/api";
import { Browser } from "../support/browser";
import { type Site, type SiteOptions, startSite } from "../support/site";
import { TEST_DATABASE } from "../support/postgres-engine";
import { dumpOfPostgres } from "../support/postgres/dump";

export interface MovableClock extends Clock {
  /** From now on it is so much later. Sleeps last as long as ever. */
  move(ms: number): void;
}

export function movableClock(): MovableClock {
  let offset = 0;
  return {
    now: () => systemClock.now() + offset,
    monotonic: () => systemClock.monotonic() + offset,
    sleep: (ms, signal) => systemClock.sleep(ms, signal),
    move: (ms) => {
      offset += ms;
    },
  };
}

/** Names under which scenarios use keys. `other`: admin of another project. `pinned`: may act for alice only. */
export type KeyName = "admin" | "run" | "read" | "verify" | "metrics" | "other" | "pinned" | "pinned read";

export interface Stage extends AsyncDisposable {
  site: Site;
  clock: MovableClock;
  keys: Readonly<Record<KeyName, string>>;
}

/** A deployment with the chat provider, a second project `other`, and one key of each kind. */
export async function startStage(options: SiteOptions = {}): Promise<Stage> {
  const clock = movableClock();
  const site = await startSite({ ...options, parts: { clock, ...options.parts } });
  await site.addChatProvider();
  const operator = await site.runtime.identity.operator("default");
  await site.runtime.identity.createProject(operator, "other", "Other");
  const key = (role: Role, users?: string[], project?: string) => site.key(role, users, project);
  const keys = {
    admin: await key("admin"),
    run: await key("run"),
    read: await key("read"),
    verify: await key("verify"),
    metrics: await key("metrics"),
    other: await key("admin", undefined, "other"),
    pinned: await key("run", ["alice"]),
    "pinned read": await key("read", ["alice"]),
  };
  // Lists are sorted by time: what a test makes comes after what is here.
  clock.move(1);
  return { site, clock, keys, [Symbol.asyncDispose]: () => site[Symbol.asyncDispose]() };
}

/** Consents at the stand-in as the user of the same name. Returns the id of the connection. */
export async function connect({ site, keys }: Stage, user: string, person = user): Promise<string> {
  const agent = api(site.url, keys.admin);
  const started = await agent.post("/v1/tools/authorize", { tool_name: "Chat.SendMessage", user_id: user });
  await new Browser().consent(String(at(started.body, "url")), person);
  const listed = await agent.get(`/v1/admin/user_connections?user_id=${encodeURIComponent(user)}`);
  return String(at(listed.body, "items.0.id"));
}

/** A consent that waits for its user. */
export async function startConsent({ site, keys }: Stage, body: object = {}) {
  const request = { user_id: "alice", ...body };
  const answer = await api(site.url, keys.run).post("/v1/auth/authorize", {
    auth_requirement: { id: "slack", oauth2: { scopes: ["users:read"] } },
    ...request,
  });
  return { id: String(at(answer.body, "id")), url: String(at(answer.body, "url")), answer };
}

export function databaseOf(site: Site): string {
  return join(loadConfig({ environment: site.environment }).dataFolder(), "runtime.db");
}

/** The same without what refused requests leave behind: entries of the audit trail. */
export function dumpWithoutRefusals(file: string): Record<string, unknown[]> {
  const { audit = [], audit_heads: _, ...others } = dump(file);
  return { ...others, audit: audit.filter((row) => at(row, "action") !== "request.refused") };
}

/** Every row of the main database, as another process reads it. */
export function dump(file: string): Record<string, unknown[]> {
  if (TEST_DATABASE !== undefined) return dumpOfPostgres(file, TEST_DATABASE);
  const database = new Database(file, { readonly: true });
  try {
    const tables = database
      .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
      .all();
    return Object.fromEntries(
      tables.map(({ name }) => [name, database.query(`SELECT * FROM "${name}"`).all()]),
    );
  } finally {
    database.close();
  }
}
