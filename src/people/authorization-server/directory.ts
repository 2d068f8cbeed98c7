// The clients that people of a project have allowed something, for administrators: what they are, and their end.
import type { Audit } from "../../audit";
import { present, timestamp, UNPAGED_LIMIT } from "../../base";
import type { Core } from "../../core";
import { hashOf } from "../../crypto";
import { notFound } from "../../errors";
import type { Principal } from "../../identity";
import type { Transaction } from "../../store";
import { type Clients, originOf } from "./clients";
import { clientIds, type ListedGrantRow, ofProject, removeOfClient } from "./grant-repository";
import type { ClientList, ClientRecord, RevokedClient } from "./schema";

export class ClientDirectory {
  readonly #core: Core;
  readonly #audit: Audit;
  readonly #clients: Clients;

  constructor(core: Core, audit: Audit, clients: Clients) {
    this.#core = core;
    this.#audit = audit;
    this.#clients = clients;
  }

  /** The clients of the project, by the time at which somebody first allowed them something. */
  async list({ projectId }: Principal): Promise<ClientList> {
    const byClient = new Map<string, ListedGrantRow[]>();
    for (const row of await ofProject(this.#core.store, projectId, UNPAGED_LIMIT)) {
      const rows = byClient.get(row.client_id) ?? [];
      rows.push(row);
      byClient.set(row.client_id, rows);
    }
    return { items: [...byClient].map(([id, rows]) => recordOf(id, rows)) };
  }

  /**
   * Ends everything that the people of the project have allowed a client, with the next request. The operator ends its
   * registration too. Throws `not_found`.
   */
  async revoke(principal: Principal, id: string): Promise<RevokedClient> {
    const { projectId } = principal;
    const known = await clientIds(this.#core.store, projectId);
    const clientId = known.find((one) => one === id || shownId(one) === id);
    if (clientId === undefined)
      throw notFound("The people of this project have allowed no client with this id anything.");
    const audit = this.#audit;
    const endsRegistration = principal.kind === "operator" && originOf(clientId) === "registered";
    const end = endsRegistration ? () => this.#clients.revocation(clientId) : undefined;
    const ended = await this.#core.store.write(function* (): Transaction<string[]> {
      const grants = yield* removeOfClient(projectId, clientId);
      if (end !== undefined) yield* end();
      yield* audit.record(principal, "client.end", shownId(clientId), { details: { grants: grants.length } });
      return grants;
    });
    return { id: shownId(clientId), grants: ended.length, registration: endsRegistration };
  }
}

function recordOf(clientId: string, rows: readonly ListedGrantRow[]): ClientRecord {
  const uses = rows.flatMap(({ used_at }) => (used_at === null ? [] : [used_at]));
  return {
    id: shownId(clientId),
    ...present({ name: rows.at(-1)?.client_name ?? undefined }),
    origin: originOf(clientId),
    allowed: rows.map(({ user_id, gateway_slug, created_at, used_at }) => ({
      user_id,
      ...present({
        gateway: gateway_slug ?? undefined,
        last_used_at: used_at === null ? undefined : timestamp(used_at),
      }),
      since: timestamp(created_at),
    })),
    ...present({ last_used_at: uses.length === 0 ? undefined : timestamp(Math.max(...uses)) }),
  };
}

/** The id of a client that registered itself contains its registration: too long to be typed. */
function shownId(clientId: string): string {
  return originOf(clientId) === "registered" ? `cl_${hashOf(clientId).slice(0, 20)}` : clientId;
}
