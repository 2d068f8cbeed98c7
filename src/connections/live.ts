// A cache of connections and their opened grants. It is emptied when any process changes a connection.
import type { Json, JsonObject, Redacted } from "../base";
import type { Core } from "../core";
import { Unopenable } from "../crypto";
import { CachedByGeneration } from "../store";
import * as repository from "./repository";
import type { ConnectionRow } from "./repository";
import { type AccountInfo, openAccountInfo, openTokens } from "./tokens";

/** A grant that a tool can use. Frozen, because several calls may share it. */
export interface LiveGrant {
  readonly connectionId: string;
  /** The version of the tokens. */
  readonly version: number;
  readonly token: Redacted;
  readonly scopes: readonly string[];
  readonly facts: Readonly<JsonObject>;
  /** The answer of the user info request. */
  readonly userInfo?: Json;
}

/** A connection with values that are computed on first use. */
export class CachedConnection {
  readonly row: Readonly<ConnectionRow>;
  /** Undefined until first use. */
  grant: LiveGrant | undefined;
  #scopes: readonly string[] | undefined;

  constructor(row: ConnectionRow) {
    this.row = Object.freeze(row);
  }

  get scopes(): readonly string[] {
    return (this.#scopes ??= scopesOf(this.row));
  }
}

/** Users that may be active at the same time. */
const MAX_CONNECTIONS = 10_000;

export class LiveGrants {
  readonly #core: Core;
  readonly #ofUser: CachedByGeneration<string, CachedConnection | undefined>;
  readonly #byId: CachedByGeneration<string, CachedConnection | undefined>;

  constructor(core: Core) {
    this.#core = core;
    this.#ofUser = new CachedByGeneration(core.store, "connections", MAX_CONNECTIONS);
    this.#byId = new CachedByGeneration(core.store, "connections", MAX_CONNECTIONS);
  }

  /** The connection of a user at a provider. */
  async ofUser(projectId: string, userId: string, providerId: string): Promise<CachedConnection | undefined> {
    // The user id comes last because only it may contain any character.
    return this.#ofUser.get(`${projectId}\n${providerId}\n${userId}`, async () =>
      cached(await repository.findConnection(this.#core.store, projectId, userId, providerId)),
    );
  }

  /** The same by the connection's own id. */
  async byId(projectId: string, id: string): Promise<CachedConnection | undefined> {
    return this.#byId.get(`${projectId}\n${id}`, async () =>
      cached(await repository.findConnectionById(this.#core.store, projectId, id)),
    );
  }

  /** The user info of a connection. Does not open its tokens. */
  async userInfo(projectId: string, id: string): Promise<Json | undefined> {
    return (await this.account(projectId, id)).userInfo;
  }

  /** What is known about the account of a connection. Does not open its tokens. */
  async account(projectId: string, id: string): Promise<AccountInfo> {
    const connection = await this.byId(projectId, id);
    if (connection === undefined) return { facts: {} };
    try {
      return await openAccountInfo(this.#core.keyring, connection.row);
    } catch (error) {
      // A list must not fail because of one connection.
      if (error instanceof Unopenable) return { facts: {} };
      throw error;
    }
  }

  /** The opened grant of a connection. */
  async of(connection: CachedConnection): Promise<LiveGrant> {
    return (connection.grant ??= await this.opened(connection.row));
  }

  /** The opened grant of a row that was just written. */
  async opened(row: ConnectionRow): Promise<LiveGrant> {
    const { accessToken: token, facts, userInfo } = await openTokens(this.#core.keyring, row);
    return Object.freeze({
      connectionId: row.id,
      version: row.token_version,
      token,
      scopes: scopesOf(row),
      facts: Object.freeze(facts),
      ...(userInfo === undefined ? {} : { userInfo }),
    });
  }
}

function cached(row: ConnectionRow | undefined): CachedConnection | undefined {
  return row === undefined ? undefined : new CachedConnection(row);
}

function scopesOf(row: Pick<ConnectionRow, "scopes">): readonly string[] {
  const scopes: string[] = JSON.parse(row.scopes);
  return Object.freeze(scopes);
}
