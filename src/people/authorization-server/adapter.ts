// The storage of the library: what it keeps by kind and id, in our tables. Ids are hashed and payloads sealed; expiry, single use
// and the end of a grant are decided by the database.
import { InvalidGrant } from "oidc-provider/lib/helpers/errors.js";
import { isObject, type JsonObject } from "../../base";
import type { Core } from "../../core";
import { hashOf, Unopenable } from "../../crypto";
import { DeletionTime } from "../../store";
import { DEFAULT_ID } from "../../identity";
import type { Clients } from "./clients";
import type { CollectedWrites } from "./collected-writes";
import {
  findByUserCode,
  findItem,
  type ItemRow,
  OPEN_KINDS,
  placeOf,
  putItem,
  removeChain,
  removeExpired,
  removeItem,
  removeOldest,
} from "./item-repository";
import type { Resources } from "./resources";
import { accountOf, grantOfChain } from "./terms";

export interface AdapterParts {
  core: Core;
  writes: CollectedWrites;
  clients: Clients;
  resources: Resources;
}

/** What the library calls. Times in seconds. */
export interface Adapter {
  upsert(id: string, payload: JsonObject, expiresIn: number | undefined): Promise<void>;
  find(id: string): Promise<object | undefined>;
  findByUid(uid: string): Promise<undefined>;
  findByUserCode(code: string): Promise<object | undefined>;
  consume(id: string): Promise<void>;
  destroy(id: string): Promise<void>;
  revokeByGrantId(grantId: string): Promise<void>;
}

/** Finding out whether there are too many items of a kind takes longer than to add one. */
const SWEEP_EVERY = 100;

/** The adapter for a kind of the library. */
export function adapterOf(parts: AdapterParts): (kind: string) => Adapter {
  const deletionTime = new DeletionTime(parts.core.clock);
  return (kind) => {
    if (kind === "Client") return clientAdapter(parts.clients);
    // The library's own sessions: each time, the person is the one who is signed in with the browser.
    if (kind === "Session") return NOTHING;
    return new Items(parts, kind, deletionTime);
  };
}

const NOTHING: Adapter = {
  upsert: async () => undefined,
  find: async () => undefined,
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  consume: async () => undefined,
  destroy: async () => undefined,
  revokeByGrantId: async () => undefined,
};

function clientAdapter(clients: Clients): Adapter {
  return { ...NOTHING, find: (id) => clients.find(id) };
}

class Items implements Adapter {
  readonly #parts: AdapterParts;
  readonly #kind: string;
  readonly #deletionTime: DeletionTime;
  #added = 0;

  constructor(parts: AdapterParts, kind: string, deletionTime: DeletionTime) {
    this.#parts = parts;
    this.#deletionTime = deletionTime;
    this.#kind = kind;
  }

  async upsert(id: string, payload: JsonObject, expiresIn: number | undefined): Promise<void> {
    const { clock, keyring } = this.#parts.core;
    const hash = hashOf(id);
    const { projectId, userId } = await this.#ownerOf(payload);
    const text = JSON.stringify(payload);
    const now = clock.now();
    // The id of a row of the kind Grant is that of the chain.
    const chain = this.#kind === "Grant" ? id : textOf(payload["grantId"]);
    const userCode = textOf(payload["userCode"]);
    const row: ItemRow = {
      kind: this.#kind,
      hash,
      project_id: projectId,
      user_id: userId ?? null,
      client_id: textOf(payload["clientId"]) ?? null,
      grant_id: chain === undefined ? null : grantOfChain(chain),
      grant_hash: chain === undefined ? null : hashOf(chain),
      user_code_hash: userCode === undefined ? null : hashOf(userCode),
      sealed_payload: await keyring.seal(projectId, placeOf(this.#kind, hash), text),
      created_at: now,
      expires_at: expiresIn === undefined ? null : now + expiresIn * 1000,
      consumed_at: null,
    };
    const deletionTime = this.#deletionTime;
    const isFull = OPEN_KINDS.includes(this.#kind) && ++this.#added % SWEEP_EVERY === 0;
    await this.#parts.writes.add(function* () {
      const time = yield* deletionTime.now();
      if (time !== undefined) yield* removeExpired(time);
      yield* putItem(row);
      if (isFull) yield* removeOldest(row.kind);
    });
  }

  async find(id: string): Promise<object | undefined> {
    return this.#opened(await findItem(this.#parts.core.store, this.#kind, hashOf(id)));
  }

  async findByUid(): Promise<undefined> {
    return undefined;
  }

  async findByUserCode(code: string): Promise<object | undefined> {
    return this.#opened(await findByUserCode(this.#parts.core.store, this.#kind, hashOf(code)));
  }

  /** Throws `invalid_grant` if it has been consumed: of two requests with one code, one gets tokens. */
  async consume(id: string): Promise<void> {
    const use = { kind: this.#kind, hash: hashOf(id), at: this.#parts.core.clock.now() };
    if (!(await this.#parts.writes.use(use))) throw new InvalidGrant("already used");
  }

  destroy(id: string): Promise<void> {
    return this.#parts.writes.remove(() => removeItem(this.#kind, hashOf(id)));
  }

  revokeByGrantId(grantId: string): Promise<void> {
    return this.#parts.writes.remove(() => removeChain(hashOf(grantId)));
  }

  async #opened(row: ItemRow | undefined): Promise<object | undefined> {
    const { clock, keyring, log } = this.#parts.core;
    if (row === undefined || (row.expires_at !== null && row.expires_at <= clock.now())) return undefined;
    try {
      const text = await keyring.open(row.project_id, placeOf(row.kind, row.hash), row.sealed_payload);
      const payload: unknown = JSON.parse(text);
      if (!isObject(payload)) return undefined;
      return {
        ...payload,
        ...(row.consumed_at === null ? {} : { consumed: Math.floor(row.consumed_at / 1000) }),
      };
    } catch (error) {
      if (!(error instanceof Unopenable)) throw error;
      log.warn("an item of the authorization server cannot be decrypted", { kind: row.kind });
      return undefined;
    }
  }

  /** Before a person is known, an item belongs to the project that the client wants to use. */
  async #ownerOf(payload: JsonObject): Promise<{ projectId: string; userId?: string }> {
    const account = textOf(payload["accountId"]);
    if (account !== undefined) return accountOf(account);
    const params = payload["params"];
    const address = isObject(params) ? textOf(params["resource"]) : undefined;
    const resource = address === undefined ? undefined : await this.#parts.resources.at(address);
    return { projectId: resource?.projectId ?? DEFAULT_ID };
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
