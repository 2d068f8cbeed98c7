// What people have allowed clients, remembered for each client, resource and person, and whether tokens of it are alive. Every
// use compares it with the database, under a generation, so that a grant that is removed ends at once on every server.
import type { Core } from "../../core";
import { hashOf, newId, newToken } from "../../crypto";
import { CachedByGeneration, type Transaction } from "../../store";
import { stampClient } from "./client-repository";
import type { Clients } from "./clients";
import { find, findByKey, type GrantRow, put, remove, stamp } from "./grant-repository";
import { findChain } from "./item-repository";
import type { ClientMetadata } from "./registration";
import type { ProtectedResource } from "./resources";
import { methodOfSession, type SessionMethod } from "../terms";
import { chainId } from "./terms";

export interface Person {
  projectId: string;
  userId: string;
}

/** A person who is signed in with a browser. */
export interface SignedInPerson extends Person {
  /** How the person has signed in. */
  method: SessionMethod;
}

/** A client that a person allows something. */
export interface AllowedClient {
  id: string;
  name: string | undefined;
  /** Of one that has registered itself. */
  metadata: ClientMetadata | undefined;
}

interface ChainKey extends Person {
  grant: string;
  chain: string;
}

export class ClientGrants {
  readonly #core: Core;
  readonly #clients: Clients;
  readonly #methodOf: (projectId: string) => Promise<string>;
  readonly #alive: CachedByGeneration<string, { resource: string; method: string } | undefined>;
  readonly #chains: CachedByGeneration<string, { key: string } | undefined>;

  /** `methodOf`: how people sign in to a project. */
  constructor(core: Core, clients: Clients, methodOf: (projectId: string) => Promise<string>) {
    this.#core = core;
    this.#methodOf = methodOf;
    this.#clients = clients;
    this.#alive = new CachedByGeneration(core.store, "clients");
    this.#chains = new CachedByGeneration(core.store, "clients");
  }

  /** Whether the person has allowed the client this before. */
  async isRemembered(
    person: SignedInPerson,
    clientId: string,
    resource: ProtectedResource,
  ): Promise<boolean> {
    const key = {
      project_id: person.projectId,
      user_id: person.userId,
      client_id: clientId,
      resource: resource.id,
    };
    const row = await findByKey(this.#core.store, key);
    return row?.method === methodOfSession(person.method) && row.scopes.split(" ").includes(resource.scope);
  }

  /**
   * Allows it, and returns the id of a new chain of tokens. `also`: a part of the transaction, which gets the id of the grant
   * and whether it is new.
   */
  async allow(
    person: SignedInPerson,
    client: AllowedClient,
    resource: ProtectedResource,
    also: (grant: string, isNew: boolean) => Transaction<void>,
  ): Promise<string> {
    const { store, clock, random } = this.#core;
    const now = clock.now();
    const row: GrantRow = {
      id: newId("cg", now, random),
      project_id: person.projectId,
      user_id: person.userId,
      client_id: client.id,
      client_name: client.name ?? null,
      resource: resource.id,
      scopes: resource.scope,
      created_at: now,
      used_at: null,
      method: methodOfSession(person.method),
    };
    const record = await this.#clients.recording(client.metadata);
    const id = await store.write(function* (): Transaction<string> {
      yield* record();
      const granted = yield* put(row);
      yield* also(granted.id, granted.isNew);
      return granted.id;
    });
    return chainId(id, newToken(random));
  }

  /** Notes the time of a use. */
  used(projectId: string, grant: string, clientId: string): () => Transaction<void> {
    const now = this.#core.clock.now();
    return function* () {
      yield* stamp(projectId, grant, now);
      yield* stampClient(clientId, now);
    };
  }

  /** Whether the person still allows it. */
  async isAlive(person: Person, grant: string): Promise<boolean> {
    return (await this.resourceOf(person, grant)) !== undefined;
  }

  /**
   * The id of the gateway that a grant is for; empty: the API. Undefined if the person does not allow it any more, and where
   * people sign in by another method than when it was given: the name may be that of another person now.
   */
  async resourceOf({ projectId, userId }: Person, grant: string): Promise<string | undefined> {
    const load = () => find(this.#core.store, projectId, userId, grant);
    const row = await this.#alive.get(JSON.stringify([projectId, userId, grant]), load);
    return row?.method === (await this.#methodOf(projectId)) ? row?.resource : undefined;
  }

  /** Whether the tokens of one sign-in are alive: none of its refresh tokens was revoked or used twice. */
  async isChainAlive({ projectId, userId, grant, chain }: ChainKey): Promise<boolean> {
    const { store, clock } = this.#core;
    const wanted = JSON.stringify([projectId, userId, grant]);
    const found = await this.#chains.get(chain, async () => {
      const row = await findChain(store, chain, clock.now());
      return row && { key: JSON.stringify([row.project_id, row.user_id, row.grant_id]) };
    });
    return found?.key === wanted;
  }

  /** False if the person has no such grant. */
  async end({ projectId, userId }: Person, grant: string): Promise<boolean> {
    return (await this.#core.store.write(() => remove(projectId, userId, grant))) !== undefined;
  }
}

/** What tokens contain of the id of a chain: the id itself is a key of the table. */
export function chainHash(chain: string): string {
  return hashOf(chain);
}
