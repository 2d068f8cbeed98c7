// One data center: its world, its jobs, its accounts host and its API host.
import { answerAccounts } from "./accounts/front";
import type { Codes } from "./accounts/codes";
import type { ConsentSettings } from "./accounts/consent";
import type { TokenStore } from "./accounts/tokens";
import { answerApi } from "./api/front";
import { Jobs } from "./api/jobs";
import { listen, type Listener } from "./server";
import type { DataCenter, Interceptor, Location } from "./types";
import type { Table } from "./world/table";
import { World } from "./world/world";

/** State that the data centers share. */
export interface Shared {
  readonly now: () => number;
  readonly intercept: Interceptor | undefined;
  readonly tokens: TokenStore;
  readonly codes: Codes;
  /** The rest is read at every request, because it may change. */
  readonly consent: () => ConsentSettings;
  readonly directory: () => Record<Location, string>;
  readonly tellsScopes: () => boolean;
  readonly repeatsDomain: boolean;
  readonly secretOf: (location: Location) => string;
}

export class Center {
  readonly world: World;
  readonly jobs: Jobs;
  readonly location: Location;
  readonly #shared: Shared;
  readonly #listeners: Listener[] = [];

  private constructor(location: Location, shared: Shared) {
    this.location = location;
    this.#shared = shared;
    this.world = new World(location, shared.now);
    this.jobs = new Jobs(shared.now, this.world.nextId);
  }

  static async start(
    location: Location,
    shared: Shared,
    [apiPort = 0, accountsPort = 0]: readonly number[] = [],
  ): Promise<Center> {
    const center = new Center(location, shared);
    const { world, jobs } = center;
    const api = await listen(apiPort, (arrival) => answerApi({ ...shared, location, world, jobs }, arrival));
    const accounts = await listen(accountsPort, (arrival) => center.#answerAccounts(api.url, arrival));
    center.#listeners.push(accounts, api);
    return center;
  }

  get accountsUrl(): string {
    return this.#listeners[0]?.url ?? "";
  }

  /** A form of the application `inventory`. */
  table(form: string): Table {
    return this.world.table(this.world.application("inventory"), form);
  }

  key(component: "report" | "form", link: string): string {
    return this.world.publication(component, "inventory", link)?.key ?? "";
  }

  get described(): DataCenter {
    const { location, accountsUrl } = this;
    return {
      location,
      accountsUrl,
      apiUrl: this.#listeners[1]?.url ?? "",
      authorizeUrl: `${accountsUrl}/oauth/v2/auth`,
      tokenUrl: `${accountsUrl}/oauth/v2/token`,
      revokeUrl: `${accountsUrl}/oauth/v2/token/revoke`,
      clientSecret: this.#shared.secretOf(location),
      owner: this.world.account.owner,
    };
  }

  async stop(): Promise<void> {
    await Promise.all(this.#listeners.splice(0).map((listener) => listener.stop()));
  }

  #answerAccounts(apiDomain: string, arrival: Parameters<typeof answerAccounts>[1]) {
    const { location } = this;
    const shared = this.#shared;
    const endpoint = () => ({
      location,
      apiDomain,
      clientId: shared.consent().clientId,
      clientSecret: shared.secretOf(location),
      codes: shared.codes,
      tokens: shared.tokens,
      tellsScopes: shared.tellsScopes(),
      repeatsDomain: shared.repeatsDomain,
    });
    return answerAccounts({ ...shared, location, endpoint }, arrival);
  }
}
