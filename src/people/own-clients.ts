// What a person has allowed clients, as the person sees and ends it. A token names its grant, so a grant that is gone ends its
// tokens with their next use, on every server.
import type { Audit } from "../audit";
import type { Core } from "../core";
import type { Principal } from "../identity";
import type { Transaction } from "../store";
import { findListed, type ListedGrantRow, ofPerson, remove } from "./authorization-server/grant-repository";

export interface ClientGrant {
  id: string;
  clientId: string;
  /** As the client calls itself; unverified. */
  clientName: string | undefined;
  /** Undefined: the API of the project. A deleted gateway has no name. */
  gateway: { name: string | undefined; slug: string | undefined } | undefined;
  scopes: readonly string[];
  /** Milliseconds. */
  since: number;
  usedAt: number | undefined;
}

type Person = Extract<Principal, { kind: "user" }>;

export class OwnClients {
  readonly #core: Core;
  readonly #audit: Audit;

  constructor(core: Core, audit: Audit) {
    this.#core = core;
    this.#audit = audit;
  }

  /** The newest first. */
  async list({ projectId, userId }: Person, most: number): Promise<ClientGrant[]> {
    return (await ofPerson(this.#core.store, projectId, userId, most)).map(grantOf);
  }

  /** Undefined if the person has no such grant. */
  async find({ projectId, userId }: Person, id: string): Promise<ClientGrant | undefined> {
    const row = await findListed(this.#core.store, projectId, userId, id);
    return row && grantOf(row);
  }

  /** False if the person has no such grant. */
  async revoke(person: Person, id: string): Promise<boolean> {
    return this.#core.store.write(() => this.#revoke(person, id));
  }

  *#revoke(person: Person, id: string): Transaction<boolean> {
    const { projectId, userId } = person;
    const row = yield* remove(projectId, userId, id);
    if (row === undefined) return false;
    yield* this.#audit.record(person, "client.revoke", id, {
      user: userId,
      details: { client: row.client_id, gateway: row.resource },
    });
    return true;
  }
}

function grantOf(row: ListedGrantRow): ClientGrant {
  return {
    id: row.id,
    clientId: row.client_id,
    clientName: row.client_name ?? undefined,
    gateway:
      row.resource === ""
        ? undefined
        : { name: row.gateway_name ?? undefined, slug: row.gateway_slug ?? undefined },
    scopes: row.scopes.split(" ").filter((scope) => scope !== ""),
    since: row.created_at,
    usedAt: row.used_at ?? undefined,
  };
}
