// Auth providers: where and how users consent.
import { UNPAGED_LIMIT, wholePage, type Page } from "../base";
import type { Audit } from "../audit";
import type { Core } from "../core";
import { alreadyExists, malformedRequest, notFound } from "../errors";
import type { Principal } from "../identity";
import { originChange } from "../origins";
import { CachedByGeneration, type Change, makeChange, type Transaction, UniqueViolation } from "../store";
import type { ProviderPreset } from "./preset";
import { type Chosen, chooseProvider, type ProviderChoice } from "./choice";
import type { ProviderDependents, Writer } from "./dependents";
import type { Provider } from "./effective";
import { originsOfProvider, type Platforms } from "./origins";
import { changedSecrets } from "./patch";
import { providerOf, providerRecord } from "./record";
import * as repository from "./repository";
import type { ProviderRow } from "./repository";
import { ProviderRows } from "./rows";
import type { AuthProvider, AuthProviderCreate, AuthProviderPatch, ProviderSetup } from "./schema";
import { type ClientKeys, ClientSecrets, type GivenSecrets } from "./secrets";
import { externalIdFor, findPreset, providerSetup, type ScopesOf } from "./setup";

interface Updated {
  row: ProviderRow;
  moved: boolean;
}

export class Providers {
  readonly #core: Core;
  readonly #audit: Audit;
  readonly #presets: ReadonlyMap<string, ProviderPreset>;
  readonly #platforms: Platforms;
  readonly #dependents: ProviderDependents;
  readonly #ofProject: CachedByGeneration<string, Provider[]>;
  readonly #secrets: ClientSecrets;
  readonly #rows: ProviderRows;
  readonly #records: CachedByGeneration<string, AuthProvider>;
  readonly #wellKnown: CachedByGeneration<string, Provider[]>;

  constructor(core: Core, audit: Audit, presets: readonly ProviderPreset[], dependents: ProviderDependents) {
    this.#core = core;
    this.#audit = audit;
    this.#presets = new Map(presets.map((preset) => [preset.id, preset]));
    this.#platforms = { presets: this.#presets, settings: core.settings };
    this.#dependents = dependents;
    this.#ofProject = new CachedByGeneration(core.store, "providers");
    this.#secrets = new ClientSecrets(core.keyring);
    this.#rows = new ProviderRows(core, this.#secrets, this.#platforms);
    this.#records = new CachedByGeneration(core.store, "providers");
    this.#wellKnown = new CachedByGeneration(core.store, "providers");
  }

  async list(principal: Principal): Promise<Page<AuthProvider>> {
    const rows = await repository.listProviders(this.#core.store, principal.projectId, UNPAGED_LIMIT);
    return wholePage(rows.map((row) => this.#record(row)));
  }

  async get({ projectId }: Principal, id: string): Promise<AuthProvider> {
    return this.#records.get(`${projectId}\n${id}`, () => this.#read(projectId, id));
  }

  /** Throws `already_exists`, or `malformed_request` with the fields. */
  async create(principal: Principal, request: AuthProviderCreate): Promise<AuthProvider> {
    return this.#record(await makeChange(this.#core.store, await this.creation(principal, request)));
  }

  /** `create` as a part of a transaction. `worker`: the one that the record is created for. */
  async creation(
    principal: Principal,
    request: AuthProviderCreate,
    worker?: string,
  ): Promise<Change<ProviderRow>> {
    const row = await this.#rows.added(principal, request, worker);
    return { body: () => this.#create(principal, row) };
  }

  /**
   * Changes the given fields. Fails pending consents of the provider if it changes a field they depend on. Throws
   * `malformed_request` if an address moves to another origin and a stored secret is not given again; otherwise such a move
   * ends the provider's connections.
   */
  async update(principal: Principal, id: string, patch: AuthProviderPatch): Promise<AuthProvider> {
    return this.#record((await makeChange(this.#core.store, await this.change(principal, id, patch))).row);
  }

  /** `update` as a part of a transaction. */
  async change(principal: Writer, id: string, patch: AuthProviderPatch): Promise<Change<Updated>> {
    if (patch.id !== undefined && patch.id !== id)
      throw malformedRequest("id must equal the id in the path.");
    const { client_secret, private_key } = patch.oauth2 ?? {};
    const { projectId } = principal;
    const sealed = {
      clientSecret: await this.#secrets.seal(projectId, id, "client_secret", client_secret),
      privateKey: await this.#secrets.seal(projectId, id, "private_key", private_key),
    };
    const now = this.#core.clock.now();
    const change = (row: ProviderRow) => this.#rows.changed(row, patch, sealed, now);
    return {
      body: () => this.#update(principal, id, change),
      committed: ({ moved }) => (moved ? this.#dependents.afterOrders() : undefined),
    };
  }

  /** Which of the given secrets are stored with the same value. */
  async sameSecrets(
    { projectId }: Pick<Principal, "projectId">,
    id: string,
    given: GivenSecrets,
  ): Promise<(keyof GivenSecrets)[]> {
    const row = await repository.findProvider(this.#core.store, projectId, id);
    return row === undefined ? [] : this.#secrets.equal(row, given);
  }

  /**
   * What to enter in the console of a well-known provider. Throws `not_found` for a provider without a preset.
   * `scopesOf`: those that the tools of a well-known provider need.
   */
  async setup({ projectId }: Principal, id: string, scopesOf: ScopesOf): Promise<ProviderSetup> {
    const preset = findPreset(this.#presets, id);
    const scopes = await scopesOf(preset.variantOf ?? id);
    const rows = await repository.listProviders(this.#core.store, projectId, UNPAGED_LIMIT);
    const row = rows.find(({ provider_id }) => provider_id === id);
    const externalId = row?.external_id ?? (await externalIdFor(this.#core, projectId, id));
    const facts = { preset, externalId, exists: row !== undefined, scopes };
    return providerSetup({ ...facts, publicUrl: this.#core.publicUrl() });
  }

  /** Deletes the record and its connections, whose grants are then revoked, fails its consents, and returns the record. */
  async delete(principal: Principal, id: string): Promise<AuthProvider> {
    return this.#record(await makeChange(this.#core.store, this.deletion(principal, id)));
  }

  /** `delete` as a part of a transaction. */
  deletion(principal: Principal, id: string): Change<ProviderRow> {
    return { body: () => this.#delete(principal, id), committed: () => this.#dependents.afterOrders() };
  }

  /** The provider for a requirement, or the reason why there is none. */
  async choose(projectId: string, choice: ProviderChoice): Promise<Chosen> {
    return chooseProvider(await this.ofProject(projectId), choice);
  }

  async find(projectId: string, id: string): Promise<Provider | undefined> {
    return (await this.ofProject(projectId)).find((provider) => provider.id === id);
  }

  /** The provider whose redirect address contains this id. */
  async findByExternalId(externalId: string): Promise<Provider | undefined> {
    const row = await repository.findByExternalId(this.#core.store, externalId);
    return row === undefined ? undefined : this.#provider(row);
  }

  /** The oldest active provider in any project with this id or well-known provider, and this client. */
  async findByClient(name: string, clientId: string): Promise<Provider | undefined> {
    const providers = await this.#wellKnown.get(name, async () => {
      const rows = await repository.listActiveNamed(this.#core.store, name);
      return rows.map((row) => this.#provider(row));
    });
    return providers.find(({ oauth2 }) => oauth2.clientId === clientId);
  }

  /** A provider as it was before its addresses moved or it was deleted, to revoke grants there. */
  async findFormer(projectId: string, id: string, originsId: string): Promise<Provider | undefined> {
    const row = await repository.findFormerProvider(this.#core.store, projectId, id, originsId);
    return row === undefined ? undefined : this.#provider(row);
  }

  /** The records in all projects that use the same client, including this one. */
  async listByClient({ oauth2 }: Provider): Promise<repository.ProviderKey[]> {
    return repository.listByClient(this.#core.store, oauth2.clientId);
  }

  /** The decrypted credentials of the client. */
  async clientKeys(provider: Provider): Promise<ClientKeys> {
    return {
      secret: await this.#secrets.open(provider, "client_secret", provider.sealedClientSecret),
      privateKey: await this.#secrets.open(provider, "private_key", provider.sealedPrivateKey),
    };
  }

  async ofProject(projectId: string): Promise<Provider[]> {
    return this.#ofProject.get(projectId, async () => {
      const rows = await repository.listProviders(this.#core.store, projectId, UNPAGED_LIMIT);
      return rows.map((row) => this.#provider(row));
    });
  }

  *#create(principal: Principal, row: ProviderRow): Transaction<ProviderRow> {
    if ((yield* repository.providerInTransaction(row.project_id, row.id)) !== undefined) {
      throw alreadyExists(`The auth provider "${row.id}" already exists.`);
    }
    try {
      yield* repository.addProvider(row);
    } catch (error) {
      if (error instanceof UniqueViolation) throw alreadyExists("This external_id is already in use.");
      throw error;
    }
    yield* this.#audit.record(principal, "provider.create", row.id, { after: this.#record(row) });
    return row;
  }

  *#update(principal: Writer, id: string, change: (row: ProviderRow) => ProviderRow): Transaction<Updated> {
    const row = yield* repository.providerInTransaction(principal.projectId, id);
    if (row === undefined) throw unknown(id);
    const next = change(row);
    const moved = next.origins_id !== row.origins_id;
    if (next.version !== row.version) yield* this.#dependents.changed(principal.projectId, id);
    if (moved) {
      const revokes = row.api_key === null;
      if (revokes) yield* repository.keepFormerProvider(row, this.#core.clock.now());
      yield* this.#dependents.moved(principal.projectId, id, revokes);
    }
    yield* repository.updateProvider(next);
    const [before, after] = [row, next].map((each) => originsOfProvider(each, this.#platforms));
    yield* this.#audit.record(principal, "provider.update", id, {
      details: { ...changedSecrets(row, next), ...originChange(before ?? [], after ?? []) },
      before: this.#record(row),
      after: this.#record(next),
    });
    return { row: next, moved };
  }

  *#delete(principal: Principal, id: string): Transaction<ProviderRow> {
    const row = yield* repository.providerInTransaction(principal.projectId, id);
    if (row === undefined) throw unknown(id);
    const revokes = this.#provider(row).oauth2.revoke !== undefined;
    yield* this.#dependents.removed(principal.projectId, id, revokes);
    if (revokes) yield* repository.keepFormerProvider(row, this.#core.clock.now());
    yield* repository.deleteProvider(row);
    yield* this.#audit.record(principal, "provider.delete", id, { before: this.#record(row) });
    return row;
  }

  #redirectUri(row: ProviderRow): string {
    return `${this.#core.publicUrl()}/api/v1/oauth/${row.external_id}/callback`;
  }

  #provider(row: ProviderRow): Provider {
    return providerOf(row, this.#redirectUri(row), this.#platforms);
  }

  async #read(projectId: string, id: string): Promise<AuthProvider> {
    const row = await repository.findProvider(this.#core.store, projectId, id);
    if (row === undefined) throw unknown(id);
    return Object.freeze(this.#record(row));
  }

  #record(row: ProviderRow): AuthProvider {
    return providerRecord(row, this.#redirectUri(row));
  }
}

function unknown(id: string): Error {
  return notFound(`There is no auth provider "${id}" in this project.`);
}
