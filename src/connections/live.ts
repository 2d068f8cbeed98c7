// Rows that calls ask for again and again, and their opened grants. A row is kept until any connection changes, in
// whatever process; what was opened of it lives as long as the row itself.
import type { Json, JsonObject, Redacted } from "../base";
import type { Core } from "../core";
import { type Awaitable, CachedByGeneration } from "../store";
import * as repository from "./repository";
import type { ConnectionRow } from "./repository";
import { openTokens } from "./tokens";

/** A grant that a tool may run with. Frozen: several calls may run with one. */
export interface LiveGrant {
  readonly connectionId: string;
  readonly version: number;
  readonly token: Redacted;
  readonly scopes: readonly string[];
  readonly facts: Readonly<JsonObject>;
  /** What the user info request gave. */
  readonly userInfo?: Json;
}

/** As many users as may be at work at one time. */
const MOST_ROWS = 10_000;

export class LiveGrants {
  readonly #core: Core;
  readonly #rows: CachedByGeneration<string, ConnectionRow | undefined>;
  readonly #grants = new WeakMap<ConnectionRow, LiveGrant>();
  readonly #scopes = new WeakMap<ConnectionRow, readonly string[]>();

  constructor(core: Core) {
    this.#core = core;
    this.#rows = new CachedByGeneration(core.store, "connections", MOST_ROWS);
  }

  /** The connection of a user at a provider, as it stands in this turn of the event loop. */
  row(projectId: string, userId: string, providerId: string): Awaitable<ConnectionRow | undefined> {
    // Of the three only the user's id may hold anything: it comes last.
    return this.#rows.get(`${projectId}\n${providerId}\n${userId}`, () =>
      this.#read(projectId, userId, providerId),
    );
  }

  async #read(projectId: string, userId: string, providerId: string): Promise<ConnectionRow | undefined> {
    const row = await repository.findConnection(this.#core.store, projectId, userId, providerId);
    return row === undefined ? undefined : Object.freeze(row);
  }

  scopesOf(row: ConnectionRow): readonly string[] {
    const known = this.#scopes.get(row);
    if (known !== undefined) return known;
    const scopes: string[] = JSON.parse(row.scopes);
    this.#scopes.set(row, Object.freeze(scopes));
    return scopes;
  }

  of(row: ConnectionRow): Awaitable<LiveGrant> {
    return this.#grants.get(row) ?? this.#opened(row);
  }

  async #opened(row: ConnectionRow): Promise<LiveGrant> {
    const { accessToken: token, facts, userInfo } = await openTokens(this.#core.keyring, row);
    const grant = Object.freeze({
      connectionId: row.id,
      version: row.version,
      token,
      scopes: this.scopesOf(row),
      facts: Object.freeze(facts),
      ...(userInfo === undefined ? {} : { userInfo }),
    });
    this.#grants.set(row, grant);
    return grant;
  }
}
