// Users' own keys that are entered at the terminal of the data folder, whose operator may act for every user.
import type { Audit } from "../audit";
import { Redacted } from "../base";
import { type Connections, keyFrom, testKey, type UserConnection } from "../connections";
import type { Core } from "../core";
import { forbidden, invalidParameter, notFound, unavailable } from "../errors";
import { actFor, type Principal } from "../identity";
import type { Provider, Providers } from "../providers";
import type { Transaction } from "../store";
import { grantOfKey } from "./keys";

export interface OperatorKey {
  providerId: string;
  userId: string;
  key: Redacted;
}

export class OperatorKeys {
  readonly #core: Core;
  readonly #providers: Providers;
  readonly #connections: Connections;
  readonly #audit: Audit;

  constructor(
    core: Core,
    { providers, connections, audit }: { providers: Providers; connections: Connections; audit: Audit },
  ) {
    this.#core = core;
    this.#providers = providers;
    this.#connections = connections;
    this.#audit = audit;
  }

  /**
   * Stores the key, in place of an earlier one, if the service accepts it. Throws `forbidden` for everybody but the operator,
   * `not_found`, `invalid_parameter` for a key that is refused, and `unavailable` if it cannot be checked.
   */
  async add(principal: Principal, { providerId, userId: given, key }: OperatorKey): Promise<UserConnection> {
    if (principal.kind !== "operator") throw forbidden("Only the operator enters keys for users.");
    const { projectId } = principal;
    const userId = actFor(principal, given, given);
    const provider = await this.#providerOf(projectId, providerId);
    const checked = await this.#checked(provider, key);
    const audit = this.#audit;
    let connection = "";
    const granted = function* (id: string): Transaction<void> {
      connection = id;
      const details = { provider: provider.id, scopes: [], connection: id };
      yield* audit.record(principal, "consent.granted", id, { user: userId, details });
    };
    await this.#core.store.reserve();
    await this.#connections.store(projectId, userId, provider, grantOfKey(checked), [], granted);
    return this.#connections.get(principal, connection);
  }

  async #providerOf(projectId: string, id: string): Promise<Provider> {
    const provider = await this.#providers.find(projectId, id);
    if (provider === undefined) throw notFound(`There is no auth provider "${id}" in this project.`);
    if (provider.apiKey === undefined)
      throw invalidParameter(`Users of the auth provider "${id}" consent there; it takes no keys of theirs.`);
    if (!provider.active) throw invalidParameter(`The auth provider "${id}" is inactive.`);
    return provider;
  }

  async #checked(provider: Provider, given: Redacted): Promise<Redacted> {
    const text = keyFrom(given.reveal());
    if (text === undefined)
      throw invalidParameter("This is not a key: it is empty, too long, or has characters that no key has.");
    const key = new Redacted(text);
    if (provider.apiKey?.test === undefined) return key;
    const { verdict, reason = "" } = await testKey(this.#core, provider, key);
    if (verdict === "refused") throw invalidParameter("The service refused the key. Nothing was stored.");
    if (verdict === "unknown")
      throw unavailable(`The key could not be checked, so nothing was stored: ${reason}. Try again.`);
    return key;
  }
}
