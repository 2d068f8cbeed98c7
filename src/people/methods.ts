// How people sign in to a project: its own method, or that of the deployment.
import type { Settings } from "../config";
import type { Core } from "../core";
import type { Identity, SignInMethod } from "../identity";
import { CachedByGeneration } from "../store";

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

  readonly #load = async (projectId: string): Promise<SignInMethod> => {
    const { exists, method } = await this.#projects.methodOf(projectId);
    return exists ? (method ?? methodOfDeployment(this.#core.settings)) : "none";
  };
}
