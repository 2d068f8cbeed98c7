// What a manifest must know of stored workers beyond their records.
import type { Core } from "../core";
import type { Principal } from "../identity";
import type { WorkerAuthorizations } from "./authorizations";
import { configOf, givenSecrets, type WorkerConfig } from "./config";
import * as repository from "./repository";
import { MOST_WORKERS } from "./rules";
import type { UpdateWorker } from "./schema";
import { equalSecrets } from "./secrets";

export class StoredParts {
  readonly #core: Core;
  readonly #authorizations: WorkerAuthorizations;

  constructor(core: Core, authorizations: WorkerAuthorizations) {
    this.#core = core;
    this.#authorizations = authorizations;
  }

  /** The names of the given secrets that are stored with the same value: `secret`, `client_secret`, `secrets.NAME`. */
  async sameSecrets(
    { projectId }: Principal,
    id: string,
    request: Pick<UpdateWorker, "http" | "mcp">,
  ): Promise<string[]> {
    const row = await repository.findWorker(this.#core.store, projectId, id);
    if (row === undefined) return [];
    const given = givenSecrets(request);
    const isSame = await this.#authorizations.hasClientSecret(row, given.client_secret);
    return [
      ...(await equalSecrets(this.#core.keyring, row, given)),
      ...(isSame ? (["client_secret"] as const) : []),
    ];
  }

  /** `mcp.oauth2` of the project's workers as administrators have given it, without secrets, by worker. */
  async givenOAuth2({ projectId }: Principal): Promise<ReadonlyMap<string, WorkerConfig["oauth2"]>> {
    const window = { limit: MOST_WORKERS, offset: 0 };
    const rows = await repository.listWorkers(this.#core.store, projectId, window);
    return new Map(rows.map((row) => [row.id, configOf(row).oauth2]));
  }
}
