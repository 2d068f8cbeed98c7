// The administration of plugins: the records of customers' webhooks.
import { type Page, page, paging } from "../base";
import type { Audit } from "../audit";
import type { Core } from "../core";
import { newId, Unopenable } from "../crypto";
import { alreadyExists, conflict } from "../errors";
import { actorOf, DEFAULT_ID, type Principal } from "../identity";
import { movedAddresses, originChange, requireGivenAgain } from "../origins";
import { type Change, makeChange, type Transaction } from "../store";
import { changeInTurn } from "../change-in-turn";
import { Turns } from "../turns";
import { type Bindings, checkCreator, checkWriter } from "./bindings";
import { bindingOf, hookRecord, pluginRecord, shownPlugin } from "./record";
import { credentialFields, endpointAddresses, originsOfPlugin, originsOfWebhook } from "./origins";
import { checkUnused } from "./in-use";
import * as repository from "./repository";
import type { Binding, HookRow, PluginRow, Scope } from "./repository";
import { checkNoHookFields, checkPlugin } from "./rules";
import { freePriority, type NewHook, newHook, priorityTaken, takenPriority, unknownPlugin } from "./rows";
import type {
  BindingType,
  ConfiguredPlugin,
  CreatedPlugin,
  CreatePlugin,
  PatchPlugin,
  Plugin,
  PluginsFilter,
} from "./schema";
import { POINTS } from "./terms";
import {
  type Credentials,
  credentialsWith,
  equalCredentials,
  openCredentials,
  RETRY_DEFAULTS,
  retryOf,
  retryWith,
  sealCredentials,
  type StoredCredentials,
  webhookOf,
  webhookText,
  webhookWith,
} from "./stored";

export class Plugins {
  readonly #core: Core;
  readonly #audit: Audit;
  readonly #bindings: Bindings;
  readonly #turns: Turns;

  constructor(core: Core, audit: Audit, bindings: Bindings) {
    this.#core = core;
    this.#audit = audit;
    this.#bindings = bindings;
    this.#turns = new Turns(core);
  }

  async list(principal: Principal, query: PluginsFilter): Promise<Page<Plugin>> {
    const { store } = this.#core;
    const window = paging(query);
    const binding = await this.#bindings.of(principal, query.binding_type);
    const rows = await repository.listPlugins(store, binding, window.limit, window.offset);
    const hooks = await this.#hooks(principal);
    const records = rows.map((row) => shownPlugin(row, hooks));
    return page(records, await repository.countPlugins(store, binding), window);
  }

  /** A plugin of the project or of its organization. Throws `not_found`. */
  async get(principal: Principal, id: string): Promise<Plugin> {
    return shownPlugin(await this.#row(principal, id), await this.#hooks(principal));
  }

  /**
   * Creates the plugin and a hook for each of its endpoints, all or none. Throws `conflict` for a name or a priority that
   * is taken, `forbidden` if the principal may not create records of the organization.
   */
  async create(
    principal: Principal,
    request: CreatePlugin,
    bindingType: BindingType = "project",
  ): Promise<CreatedPlugin> {
    checkCreator(principal, bindingType);
    const binding = await this.#bindings.of(principal, bindingType);
    const row = await this.#newRow(principal, request, binding);
    const { endpoints } = request.webhook_config;
    const hooks = POINTS.flatMap((point) => {
      const endpoint = endpoints[point];
      // The hook uses the timeout of the endpoint.
      const more = { hook_point: `tool.${point}`, timeout_ms: undefined } as const;
      return endpoint === undefined ? [] : [{ ...endpoint, ...more }];
    });
    const created = await this.#core.store.write(() => this.#create(principal, row, hooks));
    return { ...shownPlugin(row, created), hooks: created.map((hook) => hookRecord(hook, row)) };
  }

  /**
   * Creates a plugin of the project without hooks, as a part of a transaction. Throws `conflict` for a name that is taken.
   * `id`: that of the new plugin.
   */
  async creation(
    principal: Principal,
    request: ConfiguredPlugin,
  ): Promise<{ id: string; change: Change<unknown> }> {
    checkNoHookFields(request);
    const row = await this.#newRow(principal, request, await this.#bindings.of(principal));
    return { id: row.id, change: { body: () => this.#create(principal, row, []) } };
  }

  /**
   * Changes the given fields. Throws `read_only` if only the operator can change it, and `malformed_request` for an endpoint
   * at another origin without the credentials.
   */
  async update(principal: Principal, id: string, patch: PatchPlugin): Promise<Plugin> {
    checkNoHookFields(patch);
    const scope = await this.#bindings.scopeOf(principal.projectId);
    // No turn of a plugin that does not exist.
    await this.#row(principal, id);
    const changed = await changeInTurn(this.#turns, `plugin ${id}`, async () => {
      const before = await this.#row(principal, id);
      checkWriter(principal, before);
      const row = await this.#patched(principal, before, patch);
      const isMade = await this.#core.store.write(() => this.#update(principal, scope, before, row));
      return isMade ? row : undefined;
    });
    return shownPlugin(changed, await this.#hooks(principal));
  }

  /** `update` as a part of a transaction. Throws `conflict` in it if the plugin has changed since. */
  async change(principal: Principal, id: string, patch: PatchPlugin): Promise<Change<void>> {
    checkNoHookFields(patch);
    const scope = await this.#bindings.scopeOf(principal.projectId);
    const before = await this.#row(principal, id);
    checkWriter(principal, before);
    const row = await this.#patched(principal, before, patch);
    return { body: () => this.#updateUnchanged(principal, scope, before, row) };
  }

  /** The credentials that are stored with exactly these values. */
  async sameCredentials(
    principal: Principal,
    id: string,
    given: Credentials,
  ): Promise<(keyof Credentials)[]> {
    const row = await this.#row(principal, id);
    return equalCredentials(this.#core.keyring, row, given);
  }

  /** Throws `conflict` if hooks use it. */
  async delete(principal: Principal, id: string): Promise<void> {
    await makeChange(this.#core.store, await this.deletion(principal, id));
  }

  /** `delete` as a part of a transaction. */
  async deletion(principal: Principal, id: string): Promise<Change<void>> {
    const scope = await this.#bindings.scopeOf(principal.projectId);
    return { body: () => this.#delete(principal, scope, id) };
  }

  async #row({ projectId }: Principal, id: string): Promise<PluginRow> {
    const scope = await this.#bindings.scopeOf(projectId);
    const row = await repository.findPlugin(this.#core.store, scope, id);
    if (row === undefined) throw unknownPlugin();
    return row;
  }

  /** The hooks of the project and its organization. */
  async #hooks({ projectId }: Principal): Promise<HookRow[]> {
    return repository.listHooks(this.#core.store, await this.#bindings.scopeOf(projectId));
  }

  async #newRow(principal: Principal, request: ConfiguredPlugin, { type, id }: Binding): Promise<PluginRow> {
    const { keyring, clock, random } = this.#core;
    const now = clock.now();
    const given = request.webhook_config ?? {};
    const webhook = webhookWith({ endpoints: {}, auth: { type: "none" }, sealed: [] }, given);
    const credentials = credentialsWith({}, given, { now, moves: false });
    checkPlugin(webhook, credentials);
    const key = {
      id: newId("pl", now, random),
      // Whose data key seals the credentials. An organization has none; the project `default` is never deleted.
      project_id: type === "project" ? id : DEFAULT_ID,
    };
    return {
      ...key,
      binding_type: type,
      binding_id: id,
      name: request.name,
      description: request.description ?? null,
      // Inactive by default, so that an untested plugin cannot stop calls.
      status: request.status ?? "inactive",
      retry: JSON.stringify(retryWith(RETRY_DEFAULTS, request.retry)),
      webhook: webhookText(webhook, credentials),
      sealed_credentials: await sealCredentials(keyring, key, credentials),
      origins: JSON.stringify(originsOfWebhook(webhook)),
      health_status: "unknown",
      version: 1,
      created_by: actorOf(principal),
      updated_by: actorOf(principal),
      created_at: now,
      updated_at: now,
    };
  }

  async #patched(principal: Principal, before: PluginRow, patch: PatchPlugin): Promise<PluginRow> {
    return {
      ...before,
      ...(patch.webhook_config === undefined ? {} : await this.#configured(before, patch.webhook_config)),
      name: patch.name ?? before.name,
      description: patch.description ?? before.description,
      status: patch.status ?? before.status,
      retry: JSON.stringify(retryWith(retryOf(before), patch.retry)),
      version: before.version + 1,
      updated_by: actorOf(principal),
      updated_at: this.#core.clock.now(),
    };
  }

  async #configured(
    before: PluginRow,
    given: NonNullable<PatchPlugin["webhook_config"]>,
  ): Promise<Pick<PluginRow, "webhook" | "sealed_credentials" | "origins">> {
    const { keyring, clock } = this.#core;
    const webhook = webhookWith(webhookOf(before), given);
    const moved = movedAddresses(endpointAddresses(webhook), originsOfPlugin(before));
    requireGivenAgain(moved, credentialFields(webhook.sealed, given));
    // Credentials that cannot be opened are lost and must be set again.
    const known = await openCredentials(keyring, before).catch((error: unknown): StoredCredentials => {
      if (error instanceof Unopenable) return {};
      throw error;
    });
    const credentials = credentialsWith(known, given, { now: clock.now(), moves: moved.length > 0 });
    checkPlugin(webhook, credentials);
    return {
      webhook: webhookText(webhook, credentials),
      sealed_credentials: await sealCredentials(keyring, before, credentials),
      origins: JSON.stringify(originsOfWebhook(webhook)),
    };
  }

  *#create(principal: Principal, row: PluginRow, given: readonly NewHook[]): Transaction<HookRow[]> {
    const binding = bindingOf(row);
    if ((yield* repository.pluginNamed(binding, row.name)) !== undefined) throw conflict(NAME_TAKEN);
    const others = yield* repository.hooksInTransaction(binding);
    const hooks = given.map((one) =>
      newHook(this.#core, row, { ...one, priority: one.priority ?? freePriority(one.hook_point, others) }),
    );
    const taken = hooks.find((hook) => takenPriority(hook, others));
    if (taken !== undefined) throw conflict(priorityTaken(taken));
    yield* repository.addPlugin(row);
    for (const hook of hooks) yield* repository.addHook(hook);
    const details = { binding: row.binding_type, hooks: hooks.map(({ id }) => id) };
    yield* this.#audit.record(principal, "plugin.create", row.id, { details, after: pluginRecord(row) });
    return hooks;
  }

  *#update(principal: Principal, scope: Scope, before: PluginRow, row: PluginRow): Transaction<boolean> {
    const now = yield* repository.pluginInTransaction(scope, row.id);
    if (now === undefined) throw unknownPlugin();
    // A rotation of the data key re-encrypts the credentials without a new version.
    if (now.version !== before.version || now.sealed_credentials !== before.sealed_credentials) return false;
    const named = yield* repository.pluginNamed(bindingOf(row), row.name);
    if (named !== undefined && named.id !== row.id) throw alreadyExists(NAME_TAKEN);
    yield* repository.updatePlugin(row);
    const changed = before.sealed_credentials !== row.sealed_credentials;
    yield* this.#audit.record(principal, "plugin.update", row.id, {
      details: {
        binding: row.binding_type,
        ...(changed ? { secrets: ["credentials"] } : {}),
        ...originChange(originsOfPlugin(now), originsOfPlugin(row)),
      },
      before: pluginRecord(before),
      after: pluginRecord(row),
    });
    return true;
  }

  *#updateUnchanged(
    principal: Principal,
    scope: Scope,
    before: PluginRow,
    row: PluginRow,
  ): Transaction<void> {
    if (!(yield* this.#update(principal, scope, before, row)))
      throw conflict("The plugin has just been changed by somebody else. Try again.");
  }

  *#delete(principal: Principal, scope: Scope, id: string): Transaction<void> {
    const row = yield* repository.pluginInTransaction(scope, id);
    if (row === undefined) throw unknownPlugin();
    checkWriter(principal, row);
    checkUnused(yield* repository.hooksOfPlugin(id));
    yield* repository.deletePlugin(row);
    const details = { binding: row.binding_type };
    yield* this.#audit.record(principal, "plugin.delete", row.id, { details, before: pluginRecord(row) });
  }
}

const NAME_TAKEN = "Another plugin has this name. Choose another one.";
