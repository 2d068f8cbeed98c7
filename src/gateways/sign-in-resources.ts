// The resources that people sign in to here: gateways for user tokens, and the APIs of projects.
import { withoutTrailingSlashes } from "../base";
import type { Core } from "../core";
import {
  API_RESOURCE,
  API_SCOPE,
  GATEWAY_SCOPE,
  type KnownPeople,
  type ProtectedResource,
  type Resources,
} from "../people";
import { apiAddress, resourceAudiences } from "../resource-address";
import { CachedByGeneration } from "../store";
import { USER_TOKEN } from "./compat";
import type { Gateway } from "./record";
import { hasOwnSignIn, projectOf, slugsOfType } from "./repository";

type Serving = (slug: string) => Promise<Gateway | undefined>;

export class SignInResources implements Resources {
  readonly #core: Core;
  readonly #serving: Serving;
  readonly #people: Pick<KnownPeople, "methodOf">;
  readonly #hasOwn: CachedByGeneration<"", boolean>;

  constructor(core: Core, gateways: { serving: Serving }, people: Pick<KnownPeople, "methodOf">) {
    this.#core = core;
    this.#serving = (slug) => gateways.serving(slug);
    this.#people = people;
    this.#hasOwn = new CachedByGeneration(core.store, "projects");
  }

  async isServed(): Promise<boolean> {
    if ((await this.#people.methodOf("default")) !== "none") return true;
    return this.#hasOwn.get("", () => hasOwnSignIn(this.#core.store));
  }

  async at(address: string): Promise<ProtectedResource | undefined> {
    const url = URL.parse(address);
    if (url === null || url.search !== "" || url.hash !== "" || url.username !== "") return undefined;
    const [, slug] = /\/mcp\/([^/]+)$/.exec(url.pathname) ?? [];
    if (slug === undefined) return this.#apiAt(address);
    const gateway = await this.#serving(slug);
    if (gateway === undefined) return undefined;
    // On loopback, the address may be that of another name of this machine, with our port.
    const isOurs = resourceAudiences(this.#core.publicUrl(), slug, url.host).includes(address);
    return isOurs ? this.#ofGateway(gateway, address) : undefined;
  }

  async only(): Promise<ProtectedResource | undefined> {
    const found: ProtectedResource[] = [];
    for (const slug of await slugsOfType(this.#core.store, USER_TOKEN)) {
      const gateway = await this.#serving(slug);
      const address = `${this.#core.publicUrl()}/mcp/${slug}`;
      const resource = gateway === undefined ? undefined : await this.#ofGateway(gateway, address);
      if (resource !== undefined) found.push(resource);
    }
    const [resource, ...others] = found;
    return others.length === 0 ? resource : undefined;
  }

  async api(projectId: string): Promise<ProtectedResource | undefined> {
    if ((await this.#people.methodOf(projectId)) === "none") return undefined;
    const project = await projectOf(this.#core.store, projectId);
    if (project === undefined) return undefined;
    return {
      projectId,
      id: API_RESOURCE,
      name: projectId === "default" ? "the API of this server" : `the API of the project ${projectId}`,
      address: apiAddress(this.#core.publicUrl(), project),
      scope: API_SCOPE,
      trustedClients: [],
      allowedGroups: undefined,
    };
  }

  async #apiAt(address: string): Promise<ProtectedResource | undefined> {
    const publicUrl = this.#core.publicUrl();
    if (withoutTrailingSlashes(address) === publicUrl) return this.api("default");
    const [, projectId] = /\/v1\/orgs\/[^/]+\/projects\/([^/]+)$/.exec(address) ?? [];
    const resource = projectId === undefined ? undefined : await this.api(projectId);
    return resource?.address === address ? resource : undefined;
  }

  async #ofGateway(gateway: Gateway, address: string): Promise<ProtectedResource | undefined> {
    const { id, projectId, name, authType, trustedClients, allowedGroups } = gateway;
    if (authType !== USER_TOKEN || (await this.#people.methodOf(projectId)) === "none") return undefined;
    return { projectId, id, name, address, scope: GATEWAY_SCOPE, trustedClients, allowedGroups };
  }
}
