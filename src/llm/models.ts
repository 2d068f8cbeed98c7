// Model entries: those of the configuration, which are read-only, and those stored by a project. Also stores which tools
// chat completions of a project may run.
import { Redacted, UNPAGED_LIMIT } from "../base";
import type { Audit } from "../audit";
import type { StaticModel } from "../config";
import type { Core } from "../core";
import { equalsSealed, sealedColumn, Unopenable } from "../crypto";
import { alreadyExists, internalError, malformedRequest, notFound, RuntimeError } from "../errors";
import type { Principal } from "../identity";
import { movedAddresses, originChange, originsOf, requireGivenAgain, storedOrigins } from "../origins";
import { CachedByGeneration, type Change, makeChange, type Transaction } from "../store";
import { entryOf, mergedServer, recordOf, staticEntry } from "./entries";
import type { ModelEntry, ModelEntryCreate, ModelEntryPatch, ModelList, RunnableTools } from "./model-schema";
import * as repository from "./repository";
import type { ModelRow } from "./repository";
import { type Choice, modelList, resolveModel } from "./resolve";
import { addressOf, type ModelServer, serverOf } from "./server-of";

export class Models {
  readonly #core: Core;
  readonly #audit: Audit;
  readonly #static: readonly StaticModel[];
  readonly #servers: CachedByGeneration<string, readonly ModelServer[]>;
  readonly #policies: CachedByGeneration<string, RunnableTools>;

  constructor(core: Core, audit: Audit, fromConfig: readonly StaticModel[]) {
    this.#core = core;
    this.#audit = audit;
    this.#static = fromConfig;
    this.#servers = new CachedByGeneration(core.store, "models");
    this.#policies = new CachedByGeneration(core.store, "models");
  }

  /** All entries that the project may use, first those of the configuration. */
  async list({ projectId }: Principal): Promise<ModelEntry[]> {
    const rows = await repository.listModels(this.#core.store, projectId, UNPAGED_LIMIT);
    return [...this.#static.map(staticEntry), ...rows.map(entryOf)];
  }

  /** Throws `not_found`. */
  async show(principal: Principal, id: string): Promise<ModelEntry> {
    const entry = (await this.list(principal)).find((one) => one.id === id);
    if (entry === undefined) throw unknownEntry();
    return entry;
  }

  /** The models by their names in chat completions. */
  async published({ projectId }: Principal): Promise<ModelList> {
    return modelList(await this.#serversOf(projectId));
  }

  /** Throws `already_exists`, `malformed_request`. */
  async create(principal: Principal, request: ModelEntryCreate): Promise<ModelEntry> {
    return entryOf(await makeChange(this.#core.store, await this.creation(principal, request)));
  }

  /** `create` as a part of a transaction. */
  async creation(principal: Principal, request: ModelEntryCreate): Promise<Change<ModelRow>> {
    const { id, models = [], openai, anthropic } = request;
    if ((openai === undefined) === (anthropic === undefined)) {
      throw malformedRequest("Exactly one of openai and anthropic is required.");
    }
    this.#refuseStatic(id, alreadyExists);
    const { api_key: key, ...server } = openai ?? anthropic ?? {};
    const now = this.#core.clock.now();
    const row: ModelRow = {
      project_id: principal.projectId,
      id,
      type: openai === undefined ? "anthropic" : "openai",
      server: JSON.stringify(server),
      models: JSON.stringify(models),
      sealed_api_key: await this.#sealed(principal, id, key),
      origins: null,
      created_at: now,
      updated_at: now,
    };
    row.origins = JSON.stringify(originsOf([addressOf(recordOf(row))]));
    return { body: () => this.#create(principal, row) };
  }

  /**
   * Throws `not_found`, `read_only` for an entry of the configuration, `invalid_parameter`, and `malformed_request` for an
   * address at another origin without the key.
   */
  async update(principal: Principal, id: string, request: ModelEntryPatch): Promise<ModelEntry> {
    return entryOf(await makeChange(this.#core.store, await this.change(principal, id, request)));
  }

  /** `update` as a part of a transaction. */
  async change(principal: Principal, id: string, request: ModelEntryPatch): Promise<Change<ModelRow>> {
    this.#refuseStatic(id, readOnly);
    const { models, api_key: key, ...server } = request;
    const sealed = await this.#sealed(principal, id, key === "" ? undefined : key);
    const now = this.#core.clock.now();
    const changed = (row: ModelRow): ModelRow => ({
      ...row,
      ...moved(row, mergedServer(row, server), key !== undefined),
      models: models === undefined ? row.models : JSON.stringify(models),
      sealed_api_key: key === undefined ? row.sealed_api_key : sealed,
      updated_at: now,
    });
    return { body: () => this.#update(principal, id, changed) };
  }

  /** Whether the stored key is this one. */
  async hasKey({ projectId }: Principal, id: string, key: string): Promise<boolean> {
    const rows = await repository.listModels(this.#core.store, projectId, UNPAGED_LIMIT);
    const sealed = rows.find((row) => row.id === id)?.sealed_api_key ?? null;
    return sealed !== null && equalsSealed(this.#core.keyring.open(projectId, place(id), sealed), key);
  }

  /** Throws `not_found`, `read_only` for an entry of the configuration. */
  async delete(principal: Principal, id: string): Promise<void> {
    await makeChange(this.#core.store, this.deletion(principal, id));
  }

  /** `delete` as a part of a transaction. */
  deletion(principal: Principal, id: string): Change<void> {
    this.#refuseStatic(id, readOnly);
    return { body: () => this.#delete(principal, id) };
  }

  /**
   * The server of a model for a request. Throws `invalid_parameter` for an unknown model, `internal_error` if its API key
   * cannot be decrypted.
   */
  async choose(projectId: string, model: string): Promise<Choice> {
    const choice = resolveModel(await this.#serversOf(projectId), model);
    const { id, keyLost } = choice.server;
    if (keyLost)
      throw internalError(
        `The API key of the model entry "${id}" cannot be decrypted. Set it again: runtime models update ${id} --api-key-stdin`,
        { shouldRetry: false },
      );
    return choice;
  }

  /** Which tools chat completions may run: the stricter one of the deployment's and the project's setting. */
  async runnableTools(projectId: string): Promise<RunnableTools> {
    if (this.#core.settings["llm.tools"] === "read_only") return "read_only";
    return this.#policies.get(projectId, async () => {
      const row = await repository.findSettings(this.#core.store, projectId);
      return row?.tools === "read_only" ? "read_only" : "all";
    });
  }

  async setRunnableTools(principal: Principal, tools: RunnableTools): Promise<void> {
    const { projectId } = principal;
    const row = { project_id: projectId, tools, updated_at: this.#core.clock.now() };
    await this.#core.store.write(() => this.#setRunnableTools(principal, row));
  }

  #serversOf(projectId: string): Promise<readonly ModelServer[]> | readonly ModelServer[] {
    return this.#servers.get(projectId, async () => {
      const rows = await repository.listModels(this.#core.store, projectId, UNPAGED_LIMIT);
      const stored = await Promise.all(rows.map((row) => this.#serverOf(row)));
      const configured = this.#static.map(({ record, apiKey }) =>
        serverOf(record, { apiKey, created: 0, projectId }),
      );
      return [...configured, ...stored];
    });
  }

  async #serverOf(row: ModelRow): Promise<ModelServer> {
    const { project_id, id, sealed_api_key: sealed, created_at } = row;
    const { keyring, log } = this.#core;
    const facts = {
      created: Math.floor(created_at / 1000),
      projectId: project_id,
      origins: originsOfRow(row),
    };
    try {
      const key = sealed === null ? undefined : await keyring.open(project_id, place(id), sealed);
      const apiKey = key === undefined ? undefined : new Redacted(key);
      return serverOf(recordOf(row), { ...facts, apiKey });
    } catch (error) {
      if (!(error instanceof Unopenable)) throw error;
      log.error("the key of a model entry cannot be decrypted", { project_id, id, error });
      return { ...serverOf(recordOf(row), { ...facts, apiKey: undefined }), keyLost: true };
    }
  }

  async #sealed({ projectId }: Principal, id: string, key: string | undefined): Promise<string | null> {
    return key === undefined ? null : this.#core.keyring.seal(projectId, place(id), key);
  }

  #refuseStatic(id: string, refusal: (message: string) => Error): void {
    if (!this.#static.some(({ record }) => record.id === id)) return;
    throw refusal(`The model entry "${id}" is part of the configuration. Change it there.`);
  }

  *#create(principal: Principal, row: ModelRow): Transaction<ModelRow> {
    if ((yield* repository.modelInTransaction(row.project_id, row.id)) !== undefined) {
      throw alreadyExists("A model entry with this id already exists in this project.");
    }
    yield* repository.addModel(row);
    yield* this.#audit.record(principal, "model.create", row.id, { after: entryOf(row) });
    return row;
  }

  *#update(principal: Principal, id: string, changed: (row: ModelRow) => ModelRow): Transaction<ModelRow> {
    const known = yield* repository.modelInTransaction(principal.projectId, id);
    if (known === undefined) throw unknownEntry();
    const row = changed(known);
    yield* repository.updateModel(row);
    yield* this.#audit.record(principal, "model.update", id, {
      details: {
        ...(known.sealed_api_key === row.sealed_api_key ? {} : { secrets: ["api_key"] }),
        ...originChange(originsOfRow(known), originsOfRow(row)),
      },
      before: entryOf(known),
      after: entryOf(row),
    });
    return row;
  }

  *#delete(principal: Principal, id: string): Transaction<void> {
    const row = yield* repository.modelInTransaction(principal.projectId, id);
    if (row === undefined) throw unknownEntry();
    yield* repository.deleteModel(row);
    yield* this.#audit.record(principal, "model.delete", id, { before: entryOf(row) });
  }

  *#setRunnableTools(principal: Principal, row: repository.SettingsRow): Transaction<void> {
    const known = yield* repository.settingsInTransaction(row.project_id);
    yield* repository.putSettings(row);
    yield* this.#audit.record(principal, "model.tools", row.tools, {
      before: { tools: known?.tools ?? "all" },
      after: { tools: row.tools },
    });
  }
}

export const sealedModels = [
  sealedColumn({
    table: "models",
    kind: "models",
    column: "sealed_api_key",
    keys: ["id"],
    place: (row) => place(String(row["id"])),
  }),
];

function originsOfRow(row: ModelRow): string[] {
  return storedOrigins(row.origins, originsOf([addressOf(recordOf(row))]));
}

/** The changed server with its origins. Throws `malformed_request` if the stored key would get to another origin. */
function moved(row: ModelRow, server: string, keyGiven: boolean): Pick<ModelRow, "server" | "origins"> {
  const address = addressOf(recordOf({ ...row, server }));
  const leads = movedAddresses([{ field: "base_url", address }], originsOfRow(row));
  if (row.sealed_api_key !== null) requireGivenAgain(leads, [{ field: "api_key", given: keyGiven }]);
  return { server, origins: JSON.stringify(originsOf([address])) };
}

function place(id: string): { table: string; row: string; field: string } {
  return { table: "models", row: id, field: "api_key" };
}

const readOnly = (message: string): RuntimeError => new RuntimeError("read_only", 400, message);

function unknownEntry(): RuntimeError {
  return notFound("There is no model entry with this id in this project.");
}
