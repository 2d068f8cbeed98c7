// Stored secrets. Values are write-only; tools read them by key.
import { type Page, timestamp, UNPAGED_LIMIT, wholePage } from "../base";
import type { Audit, ExecutionLog } from "../audit";
import type { Core } from "../core";
import { equalsSealed, newId, sealedColumn } from "../crypto";
import { notFound } from "../errors";
import { type Principal, projectBinding } from "../identity";
import { type Change, makeChange, type Transaction } from "../store";
import * as repository from "./repository";
import type { SecretRow } from "./repository";
import type { StoredSecret, UpsertStoredSecret } from "./schema";

export class Secrets {
  readonly #core: Core;
  readonly #audit: Audit;
  readonly #executionLog: ExecutionLog;

  constructor(core: Core, audit: Audit, executionLog: ExecutionLog) {
    this.#core = core;
    this.#audit = audit;
    this.#executionLog = executionLog;
  }

  async list(principal: Principal): Promise<Page<StoredSecret>> {
    const rows = await repository.listSecrets(this.#core.store, principal.projectId, UNPAGED_LIMIT);
    return wholePage(await Promise.all(rows.map((row) => this.#record(row))));
  }

  /** Creates the secret or replaces its value. The key keeps its original case. */
  async upsert(principal: Principal, key: string, request: UpsertStoredSecret): Promise<StoredSecret> {
    return this.#record(await makeChange(this.#core.store, await this.upsertion(principal, key, request)));
  }

  /** `upsert` as a part of a transaction. */
  async upsertion(
    principal: Principal,
    key: string,
    request: UpsertStoredSecret,
  ): Promise<Change<SecretRow>> {
    const { keyring, clock } = this.#core;
    const project_id = principal.projectId;
    const folded_key = fold(key);
    // Bound to the key, not the id: the value is sealed before the row is read.
    const sealed_value = await keyring.seal(project_id, place(folded_key), request.value);
    const description = request.description ?? null;
    const written = { project_id, folded_key, description, sealed_value, updated_at: clock.now() };
    return { body: () => this.#upsert(principal, key, written) };
  }

  /** The record with this id or key, without its value. */
  async find(principal: Principal, idOrKey: string): Promise<StoredSecret | undefined> {
    const { items } = await this.list(principal);
    return items.find(({ id, key }) => id === idOrKey || fold(key) === fold(idOrKey));
  }

  /** Deletes by id or key. Throws `not_found`. */
  async delete(principal: Principal, idOrKey: string): Promise<void> {
    await makeChange(this.#core.store, this.deletion(principal, idOrKey));
  }

  /** `delete` as a part of a transaction. */
  deletion(principal: Principal, idOrKey: string): Change<void> {
    return { body: () => this.#delete(principal, idOrKey) };
  }

  /** Whether the stored value is this one. Does not count as an access. */
  async hasValue({ projectId }: Principal, key: string, value: string): Promise<boolean> {
    const row = await repository.findSecret(this.#core.store, projectId, fold(key));
    if (row === undefined) return false;
    return equalsSealed(this.#core.keyring.open(projectId, place(row.folded_key), row.sealed_value), value);
  }

  /** The value for a check; undefined if it is not set. Does not count as an access. */
  async peek(projectId: string, key: string): Promise<string | undefined> {
    const row = await repository.findSecret(this.#core.store, projectId, fold(key));
    return row && this.#core.keyring.open(projectId, place(row.folded_key), row.sealed_value);
  }

  /** The value for a tool; undefined if it is not set. Counts as an access. */
  async value(projectId: string, key: string): Promise<string | undefined> {
    const row = await repository.findSecret(this.#core.store, projectId, fold(key));
    if (row === undefined) return undefined;
    this.#executionLog.used("secret", row.id);
    return this.#core.keyring.open(projectId, place(row.folded_key), row.sealed_value);
  }

  async exists(projectId: string, key: string): Promise<boolean> {
    return (await repository.findSecret(this.#core.store, projectId, fold(key))) !== undefined;
  }

  *#upsert(principal: Principal, key: string, written: repository.WrittenSecret): Transaction<SecretRow> {
    const known = yield* repository.replaceSecret(written);
    const { project_id, folded_key, sealed_value, updated_at } = written;
    const { id, created_at } = known ?? {
      id: newId("sec", updated_at, this.#core.random),
      created_at: updated_at,
    };
    const description = written.description ?? known?.description ?? null;
    const row: SecretRow = {
      id,
      project_id,
      key: known?.key ?? key,
      folded_key,
      description,
      sealed_value,
      created_at,
      updated_at,
    };
    if (known === undefined) yield* repository.addSecret(row);
    yield* this.#audit.record(principal, "secret.upsert", row.key, {
      details: VALUE_CHANGED,
      ...(known === undefined ? {} : { before: { description: known.description } }),
      after: { description },
    });
    return row;
  }

  *#delete(principal: Principal, idOrKey: string): Transaction<void> {
    const { projectId } = principal;
    const row = yield* repository.secretInTransaction(projectId, { id: idOrKey, foldedKey: fold(idOrKey) });
    if (row === undefined) throw notFound("There is no secret with this id or key in this project.");
    yield* repository.deleteSecret(projectId, row.id);
    yield* this.#audit.record(principal, "secret.delete", row.key, {
      before: { description: row.description },
    });
  }

  async #record(row: SecretRow): Promise<StoredSecret> {
    const accessed = await this.#executionLog.lastUsed("secret", row.id);
    return {
      id: row.id,
      key: row.key,
      ...(row.description === null ? {} : { description: row.description }),
      binding: projectBinding(row.project_id),
      created_at: timestamp(row.created_at),
      updated_at: timestamp(row.updated_at),
      ...(accessed === undefined ? {} : { last_accessed_at: timestamp(accessed) }),
    };
  }
}

/** The audit trail names the secrets that got another value. */
const VALUE_CHANGED = { secrets: ["value"] };

export const sealedSecrets = [
  sealedColumn({
    table: "secrets",
    kind: "secrets",
    column: "sealed_value",
    keys: ["folded_key"],
    place: (row) => place(String(row["folded_key"])),
  }),
];

function fold(key: string): string {
  return key.toLowerCase();
}

function place(foldedKey: string): { table: string; row: string; field: string } {
  return { table: "secrets", row: foldedKey, field: "value" };
}
