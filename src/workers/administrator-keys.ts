// Own keys of the administrator with which the catalog of a worker is read: many servers list nothing without a key.
import type { Authorization } from "../authorization";
import { TokenRequestError } from "../connections";
import { type Redacted, userOfWorker } from "../base";
import { requirementsNotMet } from "../errors";
import { actFor, type Principal } from "../identity";
import type { Provider } from "../providers";
import { mayReceiveKeys } from "../tools";
import { configOf, userKeyIdsOf } from "./config";
import type { ConsentParts } from "./oauth";
import type { WorkerRow } from "./repository";
import type { AskOptions } from "./tool";

export interface KeyRequest {
  user_id?: string | undefined;
  next_uri?: string | undefined;
}

/** The user whose own keys read the catalog. Not one of the users of agents, unless an administrator says so. */
export function keyUserOf(row: WorkerRow): string {
  return configOf(row).key_user ?? userOfWorker(row.id);
}

export class AdministratorKeys {
  readonly #parts: ConsentParts;

  constructor(parts: ConsentParts) {
    this.#parts = parts;
  }

  /** Those that the user has given. Headers without their key are left out. */
  async of(row: WorkerRow): Promise<Pick<AskOptions, "userId" | "userKeys">> {
    const ids = userKeyIdsOf(row);
    if (ids.length === 0) return {};
    const userId = keyUserOf(row);
    const userKeys: Record<string, Redacted> = {};
    for (const id of ids) {
      const provider = await this.#parts.providers.find(row.project_id, id);
      if (provider === undefined || !isUsable(provider, row)) continue;
      const grant = await this.#parts.connections.grant(row.project_id, userId, provider).catch(noGrant);
      if (grant !== undefined) userKeys[id] = grant.token;
    }
    return { userId, userKeys };
  }

  /**
   * Starts the consent for the first key that is missing; the last one if none is. Undefined for a worker without keys of
   * users. Throws `tool_requirements_not_met`.
   */
  async authorize(
    principal: Principal,
    row: WorkerRow,
    request: KeyRequest,
  ): Promise<{ user: string; authorization: Authorization } | undefined> {
    const { projectId, incarnation } = principal;
    // People enter keys of their own only.
    const own = principal.kind === "user" ? principal.userId : undefined;
    const user = actFor(principal, request.user_id ?? own ?? keyUserOf(row), userOfWorker(row.id));
    let last: Authorization | undefined;
    for (const id of userKeyIdsOf(row)) {
      const provider = await this.#parts.providers.find(projectId, id);
      if (provider === undefined || !isUsable(provider, row))
        throw requirementsNotMet(`Users cannot give keys for the auth provider "${id}". Check its record.`);
      const wanted = { projectId, incarnation, actor: principal, userId: user, provider, scopes: [] };
      last = await this.#parts.authorization.forScopes({ ...wanted, nextUri: request.next_uri });
      if (last.status !== "completed") break;
    }
    return last === undefined ? undefined : { user, authorization: last };
  }
}

function isUsable(provider: Provider, row: WorkerRow): boolean {
  return provider.active && provider.apiKey !== undefined && mayReceiveKeys(provider, [row.uri]);
}

/** The catalog is read without the key, which says what is missing. */
function noGrant(error: unknown): undefined {
  if (error instanceof TokenRequestError) return undefined;
  throw error;
}
