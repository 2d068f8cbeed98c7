// Everything that is stored about a user, in a form for machines.
import { type Json, timestamp } from "../base";
import type { ExecutionRecord, Trail } from "../audit";
import { openAccountInfo } from "../connections";
import type { Core } from "../core";
import { type Place, type SealedColumn, Unopenable } from "../crypto";
import type { Principal } from "../identity";
import { sealedAnswers, sealedRuns } from "../tools";
import { ATTEMPTS, CONNECTIONS, REVOCATIONS, TABLES, type UserRow } from "./repository";
import type { UserExport } from "./schema";

type Shown = Record<string, unknown>;
const PAGE = 100;

export class UserExports {
  readonly #core: Core;
  readonly #trail: Trail;

  constructor(core: Core, trail: Trail) {
    this.#core = core;
    this.#trail = trail;
  }

  async of(principal: Principal, userId: string): Promise<UserExport> {
    const { store, clock } = this.#core;
    const { projectId } = principal;
    const tables: Record<string, Shown[]> = {};
    for (const { name, rows, shown = whole } of TABLES) {
      const all = await store.all(rows, projectId, userId);
      const found = all.map((row) => shown(row, userId)).filter((row) => row !== undefined);
      tables[name] = await Promise.all(found.map((row) => this.#shown(name, projectId, row)));
    }
    const grants = await store.all(CONNECTIONS, projectId, userId);
    const of = (name: string): Shown[] => tables[name] ?? [];
    return {
      user_id: userId,
      project_id: projectId,
      exported_at: timestamp(clock.now()),
      connections: await Promise.all(grants.map((row) => this.#connection(row))),
      revocations: (await store.all(REVOCATIONS, projectId, userId)).map(plain),
      consents: of("consents"),
      scheduled_runs: of("scheduled_runs"),
      remembered: of("remembered"),
      answers: of("answers"),
      keys: of("keys"),
      workloads: of("workloads"),
      workers: of("workers"),
      suspensions: of("suspensions"),
      people: of("people"),
      passkeys: of("passkeys"),
      sign_in_links: of("sign_in_links"),
      sessions: of("sessions"),
      identities: of("identities"),
      clients: of("clients"),
      client_tokens: of("client_tokens"),
      executions: await this.#executions(principal, userId),
      audit: (await this.#trail.ofUser(principal, userId)).map((entry) => ({ ...entry })),
    };
  }

  async #shown(name: string, projectId: string, row: UserRow): Promise<Shown> {
    if (name === "answers") return this.#answer(row);
    if (name !== "scheduled_runs") return plain(row);
    const { store } = this.#core;
    const attempts = await store.all(ATTEMPTS, projectId, String(row["id"]));
    return {
      ...plain(row),
      input: await this.#opened(projectId, placeIn(sealedRuns, "scheduled_runs", row), row["sealed_input"]),
      attempts: await Promise.all(
        attempts.map(async (attempt) => ({
          ...plain(attempt),
          output: await this.#opened(
            projectId,
            placeIn(sealedRuns, "scheduled_attempts", attempt),
            attempt["sealed_output"],
          ),
        })),
      ),
    };
  }

  async #answer(row: UserRow): Promise<Shown> {
    const { operation, expires_at } = plain(row);
    const place = placeIn(sealedAnswers, "idempotency", row);
    const answer = await this.#opened(String(row["project_id"]), place, row["sealed_answer"]);
    return { operation, expires_at, answer };
  }

  async #connection(row: UserRow): Promise<Shown> {
    const { project_id: _project, user_id: _user, ...shown } = plain(row);
    const key = { project_id: text(row, "project_id"), user_id: text(row, "user_id") };
    const { facts, userInfo = null } = await openAccountInfo(this.#core.keyring, {
      ...key,
      provider_id: text(row, "provider_id"),
      sealed_facts: typeof row["sealed_facts"] === "string" ? row["sealed_facts"] : null,
    }).catch((error: unknown) => {
      if (error instanceof Unopenable) return { facts: {}, userInfo: null };
      throw error;
    });
    return { ...shown, facts, user_info: userInfo };
  }

  async #executions(principal: Principal, userId: string): Promise<Shown[]> {
    const found: ExecutionRecord[] = [];
    let before: string | undefined;
    do {
      const filter = { user_id: userId, limit: PAGE, ...(before === undefined ? {} : { before }) };
      const { items, next } = await this.#trail.executions(principal, filter);
      found.push(...items);
      before = next;
    } while (before !== undefined);
    return found.map((entry) => ({ ...entry }));
  }

  /** JSON that was sealed; null for none, and for what cannot be opened any more. */
  async #opened(projectId: string, place: Place, sealed: unknown): Promise<Json> {
    if (typeof sealed !== "string") return null;
    try {
      return JSON.parse(await this.#core.keyring.open(projectId, place, sealed)) as Json;
    } catch (error) {
      if (error instanceof Unopenable) return null;
      throw error;
    }
  }
}

function whole(row: UserRow): UserRow {
  return row;
}

function placeIn(columns: readonly SealedColumn[], table: string, row: UserRow): Place {
  const place = columns.map((column) => column.place(row)).find((one) => one.table === table);
  if (place === undefined) throw new Error(`no sealed column of ${table}`);
  return place;
}

function text(row: UserRow, name: string): string {
  return String(row[name]);
}

const TIMES = /_at$/;
const LISTS = new Set(["scopes", "needed", "groups"]);

/** Times in the form of the API, lists as lists, nothing sealed. */
function plain(row: UserRow): Shown {
  const shown = Object.entries(row).filter(([name]) => !name.startsWith("sealed_"));
  return Object.fromEntries(
    shown.map(([name, value]) => {
      if (TIMES.test(name) && typeof value === "number") return [name, timestamp(value)];
      if (LISTS.has(name) && typeof value === "string") return [name, value === "" ? [] : JSON.parse(value)];
      return [name, value];
    }),
  );
}
