// The administration of gateways: MCP addresses with a set of tools.
import { type Page, page, type Paging } from "../base";
import type { Audit } from "../audit";
import type { Core } from "../core";
import { newId } from "../crypto";
import { conflict, invalidParameter, notFound } from "../errors";
import type { Principal } from "../identity";
import { CachedByGeneration, type Change, makeChange, type Transaction, UniqueViolation } from "../store";
import { type Fields, fieldsOf, type Gateway, gatewayOf, gatewayRecord, patchedFields } from "./record";
import * as repository from "./repository";
import type { GatewayRow } from "./repository";
import { checkGateway } from "./rules";
import type { CreateGateway, GatewayRecord, PatchGateway, ToolFilter, UpdateGateway } from "./schema";
import { checkSlug, isReserved, MAX_SLUG_LENGTH, slugsFor } from "./slug";
import { type PlacedUnknownTool, unknownIn } from "./unknown-tools";

export class Gateways {
  readonly #core: Core;
  readonly #audit: Audit;
  readonly #toolNames: (projectId: string) => Promise<readonly string[]>;
  readonly #bySlug: CachedByGeneration<string, Gateway | undefined>;

  /** `toolNames`: those of all tools of a project. */
  constructor(core: Core, audit: Audit, toolNames: (projectId: string) => Promise<readonly string[]>) {
    this.#core = core;
    this.#audit = audit;
    this.#toolNames = toolNames;
    this.#bySlug = new CachedByGeneration(core.store, "gateways");
  }

  async list({ projectId }: Principal, paging: Paging): Promise<Page<GatewayRecord>> {
    const { rows, total } = await repository.listGateways(this.#core.store, projectId, paging);
    return page(await Promise.all(rows.map((row) => this.#shown(row))), total, paging);
  }

  /** Throws `not_found`. */
  async get({ projectId }: Principal, id: string): Promise<GatewayRecord> {
    const row = await repository.findGateway(this.#core.store, projectId, id);
    if (row === undefined) throw unknownGateway();
    return this.#shown(row);
  }

  /** The names in a filter that no tool has, with their places. */
  async unknownTools(projectId: string, filter: ToolFilter | undefined): Promise<PlacedUnknownTool[]> {
    return unknownIn(await this.#toolNames(projectId), filter);
  }

  async #shown(row: GatewayRow): Promise<GatewayRecord> {
    const record = gatewayRecord(row);
    const unknown = await this.unknownTools(row.project_id, record.tool_filter);
    if (unknown.length === 0) return record;
    return { ...record, unknown_tools: unknown.map(({ name, message }) => ({ name, message })) };
  }

  /** Throws `invalid_parameter` for invalid fields, `conflict` for a slug that is taken. */
  async create(principal: Principal, request: CreateGateway): Promise<GatewayRecord> {
    const creation = this.creation(principal, request);
    return this.#shown(await orTaken(makeChange(this.#core.store, creation), taken()));
  }

  /** `create` as a part of a transaction. */
  creation(principal: Principal, request: CreateGateway): Change<GatewayRow> {
    if (request.slug !== undefined) checkSlug(request.slug);
    const fields = fieldsOf(request);
    const { clock, random } = this.#core;
    const now = clock.now();
    const row = {
      id: newId("gw", now, random),
      project_id: principal.projectId,
      ...fields,
      created_at: now,
      updated_at: now,
    };
    return { body: () => this.#create(principal, row, request.slug) };
  }

  /** Whether the slug is available. Throws `invalid_parameter` for an invalid slug. */
  async slugInfo(slug: string): Promise<{ available: boolean }> {
    checkSlug(slug);
    if (isReserved(slug)) return { available: false };
    return { available: (await repository.findGatewayBySlug(this.#core.store, slug)) === undefined };
  }

  /** Replaces the record, except the slug if none is given. Throws `not_found`, `invalid_parameter`. */
  async replace(principal: Principal, id: string, request: UpdateGateway): Promise<GatewayRecord> {
    if (request.id !== id)
      throw invalidParameter("id differs from the id in the path. Use the same id in both.");
    return this.#apply(this.#change(principal, id, request.slug, () => fieldsOf(request)));
  }

  /** Changes the given fields. Throws `not_found`, `invalid_parameter`. */
  async patch(principal: Principal, id: string, patch: PatchGateway): Promise<GatewayRecord> {
    return this.#apply(this.patching(principal, id, patch));
  }

  /** `patch` as a part of a transaction. */
  patching(principal: Principal, id: string, patch: PatchGateway): Change<GatewayRow> {
    return this.#change(principal, id, patch.slug, (row) => patchedFields(row, patch));
  }

  /** Deletes it; its slug is available again. Throws `not_found`. */
  async delete(principal: Principal, id: string): Promise<void> {
    await makeChange(this.#core.store, this.deletion(principal, id));
  }

  /** `delete` as a part of a transaction. */
  deletion(principal: Principal, id: string): Change<void> {
    return { body: () => this.#delete(principal, id) };
  }

  /** The active gateway with this slug, in any project. */
  async serving(slug: string): Promise<Gateway | undefined> {
    // Invalid slugs are not cached: callers can send texts of any length.
    if (slug.length > MAX_SLUG_LENGTH) return undefined;
    return this.#bySlug.get(slug, async () => {
      const row = await repository.findGatewayBySlug(this.#core.store, slug);
      const gateway = row === undefined ? undefined : gatewayOf(row);
      return gateway?.active === true ? gateway : undefined;
    });
  }

  /** The address of the gateway. */
  addressOf({ slug }: { slug: string }): string {
    return `${this.#core.publicUrl()}/mcp/${slug}`;
  }

  async #apply(change: Change<GatewayRow>): Promise<GatewayRecord> {
    return this.#shown(await orTaken(makeChange(this.#core.store, change), takenByOther()));
  }

  #change(
    principal: Principal,
    id: string,
    slug: string | undefined,
    fields: (row: GatewayRow) => Fields,
  ): Change<GatewayRow> {
    if (slug !== undefined) checkSlug(slug);
    return { body: () => this.#update(principal, id, slug, fields) };
  }

  *#checked(projectId: string, fields: Fields): Transaction<Fields> {
    checkGateway(this.#core.settings, fields, yield* repository.signInOf(projectId));
    return fields;
  }

  *#create(
    principal: Principal,
    row: Omit<GatewayRow, "slug">,
    wanted: string | undefined,
  ): Transaction<GatewayRow> {
    yield* this.#checked(row.project_id, row);
    const slug = wanted ?? (yield* this.#freeSlug(row.name));
    if (yield* isTaken(slug)) throw taken();
    const created = { ...row, slug };
    yield* repository.addGateway(created);
    yield* this.#audit.record(principal, "gateway.create", created.id, { after: gatewayRecord(created) });
    return created;
  }

  *#freeSlug(name: string): Transaction<string> {
    for (const slug of slugsFor(name, this.#core.random)) {
      if (!(yield* isTaken(slug))) return slug;
    }
    throw conflict("No slug is available for this name. Set slug.");
  }

  *#update(
    principal: Principal,
    id: string,
    slug: string | undefined,
    fields: (row: GatewayRow) => Fields,
  ): Transaction<GatewayRow> {
    const row = yield* repository.gatewayInTransaction(principal.projectId, id);
    if (row === undefined) throw unknownGateway();
    if (slug !== undefined && slug !== row.slug && (yield* isTaken(slug))) {
      throw takenByOther();
    }
    const updated = {
      ...row,
      ...(yield* this.#checked(row.project_id, fields(row))),
      slug: slug ?? row.slug,
      updated_at: this.#core.clock.now(),
    };
    yield* repository.updateGateway(updated);
    yield* this.#audit.record(principal, "gateway.update", id, {
      before: gatewayRecord(row),
      after: gatewayRecord(updated),
    });
    return updated;
  }

  *#delete(principal: Principal, id: string): Transaction<void> {
    const row = yield* repository.gatewayInTransaction(principal.projectId, id);
    if (row === undefined) throw unknownGateway();
    yield* repository.deleteGateway(row);
    yield* this.#audit.record(principal, "gateway.delete", id, { before: gatewayRecord(row) });
  }
}

function* isTaken(slug: string): Transaction<boolean> {
  return isReserved(slug) || (yield* repository.slugInTransaction(slug)) !== undefined;
}

const TAKEN = "This slug is taken. Choose another one.";

function taken(): Error {
  return conflict(TAKEN);
}

/** The same for operations that do not declare 409. */
function takenByOther(): Error {
  return invalidParameter(TAKEN);
}

// With concurrent transactions, both may find the slug free; the unique index then decides.
async function orTaken<T>(work: Promise<T>, error: Error): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    throw thrown instanceof UniqueViolation ? error : thrown;
  }
}

function unknownGateway(): Error {
  return notFound("There is no gateway with this id in this project.");
}
