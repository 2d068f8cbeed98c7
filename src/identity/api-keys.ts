// The administration of API keys: creation, rotation, revocation.
import type { Audit, ExecutionLog } from "../audit";
import { checkCallerId, type Page, timestamp, UNPAGED_LIMIT, wholePage } from "../base";
import type { Core } from "../core";
import { hashOf, newApiKey, newId, visiblePrefix } from "../crypto";
import { conflict, invalidParameter, notFound } from "../errors";
import type { Transaction } from "../store";
import { auditedKey } from "./audited-key";
import { refusePinned, roleOf, usersOf } from "./key-principal";
import type { Principal } from "./principal";
import * as repository from "./repository";
import type { Also, KeyRow, PinnedAdminKey } from "./repository";
import type { ApiKey, ApiKeyCreate, ApiKeyRotation, RotatedApiKey } from "./schema";

const DEFAULT_OVERLAP_S = 3600;

export class ApiKeys {
  readonly #core: Core;
  readonly #audit: Audit;
  readonly #executionLog: ExecutionLog;

  constructor(core: Core, audit: Audit, executionLog: ExecutionLog) {
    this.#core = core;
    this.#audit = audit;
    this.#executionLog = executionLog;
  }

  /** Creates a key. Only the answer contains `key`. Throws `invalid_parameter` for an admin key with `users`. */
  async create(principal: Principal, request: ApiKeyCreate, also?: Also): Promise<ApiKey> {
    refusePinned(request);
    request.users?.forEach((user, at) => checkCallerId(user, `users.${at}`));
    const now = this.#core.clock.now();
    const expiresAt = request.expires_at === undefined ? null : Date.parse(request.expires_at);
    // Not `<=`: NaN is not in the future either.
    if (expiresAt !== null && !(expiresAt > now)) throw invalidParameter("expires_at must be in the future.");
    const { row, key } = this.#newKey(now, {
      project_id: principal.projectId,
      name: request.name,
      role: request.role ?? "run",
      users: request.users === undefined ? null : JSON.stringify([...new Set(request.users)]),
      expires_at: expiresAt,
    });
    await this.#core.store.write(() => this.#add(principal, row, also));
    return { ...(await this.#record(row)), key };
  }

  /**
   * Creates a key with the name, role, users and lifetime of another one, which works until the overlap is over. Only the
   * answer contains `key`. Throws `not_found`, and `conflict` for a key that has expired or was replaced before.
   */
  async rotate(principal: Principal, id: string, request: ApiKeyRotation = {}): Promise<RotatedApiKey> {
    const now = this.#core.clock.now();
    const end = now + (request.overlap_seconds ?? DEFAULT_OVERLAP_S) * 1000;
    // Outside of the transaction, which may run several times.
    const made = this.#newKey(now, EMPTY);
    const { row, former } = await this.#core.store.write(() => this.#rotate(principal, id, made.row, end));
    return {
      ...(await this.#record(row)),
      key: made.key,
      former: { id: former.id, expires_at: timestamp(former.expires_at ?? end) },
    };
  }

  async list(principal: Principal): Promise<Page<ApiKey>> {
    const rows = await repository.listKeys(this.#core.store, principal.projectId, UNPAGED_LIMIT);
    return wholePage(await Promise.all(rows.map((row) => this.#record(row))));
  }

  async get(principal: Principal, id: string): Promise<ApiKey> {
    const row = await repository.findKey(this.#core.store, principal.projectId, id);
    if (row === undefined) throw unknownKey();
    return this.#record(row);
  }

  /** Stored admin keys that are restricted to users, of all projects. They count as `run`. */
  async pinnedAdmins(): Promise<PinnedAdminKey[]> {
    return repository.listPinnedAdminKeys(this.#core.store);
  }

  async hasAny(projectId: string): Promise<boolean> {
    return (await repository.countKeys(this.#core.store, projectId)) > 0;
  }

  /** Revokes a key, immediately and in every process. */
  async delete(principal: Principal, id: string): Promise<void> {
    await this.#core.store.write(() => this.#delete(principal, id));
  }

  #newKey(now: number, rest: NewKey): { row: KeyRow; key: string } {
    const { random } = this.#core;
    const key = newApiKey(random);
    const id = newId("key", now, random);
    const marks = { id, prefix: visiblePrefix(key), hash: hashOf(key), created_at: now, replaced_by: null };
    return { row: { ...rest, ...marks }, key };
  }

  *#add(principal: Principal, row: KeyRow, also: Also | undefined): Transaction<void> {
    yield* repository.addKey(row);
    if (also !== undefined) yield* also(row.id);
    yield* this.#audit.record(principal, "key.create", row.id, { after: auditedKey(row) });
  }

  *#rotate(
    principal: Principal,
    id: string,
    made: KeyRow,
    end: number,
  ): Transaction<{ row: KeyRow; former: KeyRow }> {
    const { projectId } = principal;
    const known = yield* repository.keyInTransaction(projectId, id);
    if (known === undefined) throw unknownKey();
    if (known.replaced_by !== null)
      throw conflict(`This API key was replaced by ${known.replaced_by} before. Rotate that one.`);
    const { name, role, users, created_at, expires_at } = known;
    const now = made.created_at;
    if (expires_at !== null && expires_at <= now)
      throw conflict("This API key has expired. Create another one: runtime keys create NAME");
    const lifetime = expires_at === null ? null : expires_at - created_at;
    const row: KeyRow = {
      ...made,
      project_id: projectId,
      name,
      role,
      users,
      expires_at: lifetime === null ? null : now + lifetime,
    };
    // A rotation never makes the old key work longer.
    const former: KeyRow = { ...known, replaced_by: row.id, expires_at: Math.min(end, expires_at ?? end) };
    yield* repository.addKey(row);
    yield* repository.replaceKey(former);
    yield* this.#audit.record(principal, "key.rotate", id, {
      details: { new_key: row.id },
      before: auditedKey(known),
      after: auditedKey(former),
    });
    // Otherwise frequent rotations would leave a long list of dead keys.
    for (const dead of yield* repository.replacedKeys(projectId, id, now))
      yield* this.#remove(principal, dead);
    return { row, former };
  }

  *#delete(principal: Principal, id: string): Transaction<void> {
    const row = yield* repository.keyInTransaction(principal.projectId, id);
    if (row === undefined) throw unknownKey();
    yield* this.#remove(principal, row);
  }

  *#remove(principal: Principal, row: KeyRow): Transaction<void> {
    yield* repository.deleteKey(principal.projectId, row.id);
    yield* this.#audit.record(principal, "key.delete", row.id, { before: auditedKey(row) });
  }

  async #record(row: KeyRow): Promise<ApiKey> {
    const users = usersOf(row);
    const lastUsed = await this.#executionLog.lastUsed("key", row.id);
    return {
      id: row.id,
      name: row.name,
      role: roleOf(row),
      project_id: row.project_id,
      prefix: row.prefix,
      ...(users === null ? {} : { users: [...users] }),
      created_at: timestamp(row.created_at),
      ...(row.expires_at === null ? {} : { expires_at: timestamp(row.expires_at) }),
      ...(row.replaced_by === null ? {} : { replaced_by: row.replaced_by }),
      ...(lastUsed === undefined ? {} : { last_used_at: timestamp(lastUsed) }),
    };
  }
}

type NewKey = Pick<KeyRow, "project_id" | "name" | "role" | "users" | "expires_at">;

const EMPTY: NewKey = { project_id: "", name: "", role: "", users: null, expires_at: null };

function unknownKey(): Error {
  return notFound("There is no API key with this id.");
}
