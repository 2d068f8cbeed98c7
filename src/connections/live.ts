// Connections that calls ask for again and again, and their opened grants. They are kept until any connection changes,
// in whatever process.
import type { Json, JsonObject, Redacted } from "../base";
import type { Core } from "../core";
import { Unopenable } from "../crypto";
import { CachedByGeneration } from "../store";
import * as repository from "./repository";
import type { ConnectionRow } from "./repository";
import { openKnown, openTokens } from "./tokens";

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

/** A connection as it stands, and what was read of it so far. */
export class KeptConnection {
  readonly row: Readonly<ConnectionRow>;
  /** Undefined until somebody needs it. */
  grant: LiveGrant | undefined;
  #scopes: readonly string[] | undefined;

  constructor(row: ConnectionRow) {
    this.row = Object.freeze(row);
  }

  get scopes(): readonly string[] {
    return (this.#scopes ??= scopesOf(this.row));
  }
}

/** As many users as may be at work at one time. */
const MOST_KEPT = 10_000;

export class LiveGrants {
  readonly #core: Core;
  readonly #ofUser: CachedByGeneration<string, KeptConnection | undefined>;
  readonly #byId: CachedByGeneration<string, KeptConnection | undefined>;

  constructor(core: Core) {
    this.#core = core;
    this.#ofUser = new CachedByGeneration(core.store, "connections", MOST_KEPT);
    this.#byId = new CachedByGeneration(core.store, "connections", MOST_KEPT);
  }

  /** The connection of a user at a provider, as it stands in this turn of the event loop. */
  async ofUser(projectId: string, userId: string, providerId: string): Promise<KeptConnection | undefined> {
    // Of the three only the user's id may hold anything: it comes last.
    return this.#ofUser.get(`${projectId}\n${providerId}\n${userId}`, async () =>
      kept(await repository.findConnection(this.#core.store, projectId, userId, providerId)),
    );
  }

  /** The same by the connection's own id. */
  async byId(projectId: string, id: string): Promise<KeptConnection | undefined> {
    return this.#byId.get(`${projectId}\n${id}`, async () =>
      kept(await repository.findConnectionById(this.#core.store, projectId, id)),
    );
  }

  /** What the provider told of the user. Who only asks for that opens no token. */
  async userInfo(projectId: string, id: string): Promise<Json | undefined> {
    const connection = await this.byId(projectId, id);
    if (connection === undefined) return undefined;
    try {
      return (await openKnown(this.#core.keyring, connection.row)).userInfo;
    } catch (error) {
      // A list of many is not to fail for one of them.
      if (error instanceof Unopenable) return undefined;
      throw error;
    }
  }

  /** The opened grant of a connection. */
  async of(connection: KeptConnection): Promise<LiveGrant> {
    return (connection.grant ??= await this.opened(connection.row));
  }

  /** The same of a row that was only just written. */
  async opened(row: ConnectionRow): Promise<LiveGrant> {
    const { accessToken: token, facts, userInfo } = await openTokens(this.#core.keyring, row);
    return Object.freeze({
      connectionId: row.id,
      version: row.version,
      token,
      scopes: scopesOf(row),
      facts: Object.freeze(facts),
      ...(userInfo === undefined ? {} : { userInfo }),
    });
  }
}

function kept(row: ConnectionRow | undefined): KeptConnection | undefined {
  return row === undefined ? undefined : new KeptConnection(row);
}

function scopesOf(row: Pick<ConnectionRow, "scopes">): readonly string[] {
  const scopes: string[] = JSON.parse(row.scopes);
  return Object.freeze(scopes);
}
