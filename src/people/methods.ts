// How people sign in to a project: its own method, or that of the deployment. What they have begun by another one ends.
import type { Settings } from "../config";
import type { Core } from "../core";
import type { Identity, SignInMethod } from "../identity";
import { CachedByGeneration, query, type Transaction } from "../store";
import { endOfOtherMethods } from "./end-access";
import { methodOfSession, type SessionMethod } from "./terms";

const USED = query<{ project_id: string; method: SessionMethod | "" }>(
  "SELECT project_id, method FROM browser_sessions UNION SELECT project_id, method FROM client_grants",
);

/** Without a setting, people sign in at the OpenID provider if this deployment has a client there. */
export function methodOfDeployment({
  sign_in: set,
  "auth.url": url,
  "auth.client_id": client,
}: Settings): SignInMethod {
  return set ?? (url !== undefined && client !== undefined ? "oidc" : "none");
}

export class Methods {
  readonly #core: Core;
  readonly #projects: Identity["projects"];
  readonly #ofProjects: CachedByGeneration<string, SignInMethod>;

  constructor(core: Core, projects: Identity["projects"]) {
    this.#core = core;
    this.#projects = projects;
    this.#ofProjects = new CachedByGeneration(core.store, "projects");
  }

  /** `none` for a project that does not exist. */
  async of(projectId: string): Promise<SignInMethod> {
    return this.#ofProjects.get(projectId, this.#load);
  }

  /**
   * Ends what people have begun by a method that the configuration has changed since. For a server that starts: commands may have
   * other settings. A change of a project does the same in its own transaction.
   */
  async endFormer(): Promise<void> {
    const { store, settings, log } = this.#core;
    for (const { project_id: projectId, method: began } of await store.all(USED)) {
      if (began !== "" && methodOfSession(began) === (await this.of(projectId))) continue;
      const projects = this.#projects;
      const ended = await store.write(function* (): Transaction<object> {
        const method = (yield* projects.methodInTransaction(projectId)) ?? methodOfDeployment(settings);
        return { method, ...(yield* endOfOtherMethods(projectId, method)) };
      });
      log.info("people sign in by another method than before", { project: projectId, ...ended });
    }
  }

  readonly #load = async (projectId: string): Promise<SignInMethod> => {
    const { exists, method } = await this.#projects.methodOf(projectId);
    return exists ? (method ?? methodOfDeployment(this.#core.settings)) : "none";
  };
}
