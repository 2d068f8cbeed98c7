// Lists of connections. A page is cached as JSON until a connection or provider changes or a token on it expires.
import { checkUserId, JsonText, type Page, page, type Paging, paging } from "../base";
import type { Core } from "../core";
import { forbidden } from "../errors";
import { maySee, type Principal, visibleUsers } from "../identity";
import type { Provider, Providers } from "../providers";
import { CachedByGeneration } from "../store";
import type { LiveGrants } from "./live";
import { canRefresh } from "./refresh";
import * as repository from "./repository";
import type { ListedConnection } from "./repository";
import type { ConnectionsFilter, UserConnection } from "./schema";

interface CachedPage {
  /** Undefined for a page that must not be cached. */
  text: JsonText | undefined;
  /** The generation of providers that the page was made from. */
  providers: number;
  /** When the first token on it expires, ms. */
  until: number;
}

interface Window extends Paging {
  projectId: string;
  userId: string | undefined;
  providerId: string | undefined;
}

interface Made {
  page: Page<UserConnection>;
  /** Until when it may be cached, ms; 0 if not at all. */
  until: number;
}

const MAX_PAGES = 50;

export class ConnectionPages {
  readonly #core: Core;
  readonly #providers: Providers;
  readonly #live: LiveGrants;
  readonly #known: CachedByGeneration<string, CachedPage>;

  constructor(core: Core, providers: Providers, live: LiveGrants) {
    this.#core = core;
    this.#providers = providers;
    this.#live = live;
    this.#known = new CachedByGeneration(core.store, "connections", MAX_PAGES);
  }

  /** A key that is bound to users lists the connections of one of them. Throws `forbidden` for any other user. */
  async list(principal: Principal, query: ConnectionsFilter): Promise<Page<UserConnection>> {
    return (await this.#make(windowOf(principal, query))).page;
  }

  async listing(principal: Principal, query: ConnectionsFilter): Promise<Page<UserConnection> | JsonText> {
    const window = windowOf(principal, query);
    const key = JSON.stringify(window);
    const { store, clock } = this.#core;
    const stored = await this.#known.peek(key);
    const valid = stored?.providers === (await store.generation("providers")) && stored.until > clock.now();
    if (valid && stored.text !== undefined) return stored.text;
    let made: Made | undefined;
    // Made inside `renew`, which does not cache the page if a connection changes in the meantime.
    const known = await this.#known.renew(key, async () => {
      const providers = await store.generation("providers");
      made = await this.#make(window);
      const { until } = made;
      const text = until > clock.now() ? new JsonText(JSON.stringify(made.page)) : undefined;
      return { text, providers, until };
    });
    return known.text ?? (made ?? (await this.#make(window))).page;
  }

  /** Undefined for an unknown id, and for a connection of a user whom the caller may not see. */
  async get(principal: Principal, id: string): Promise<UserConnection | undefined> {
    const { projectId } = principal;
    const row = await repository.findConnectionById(this.#core.store, projectId, id);
    if (row === undefined || !maySee(principal, row.user_id)) return undefined;
    const provider = await this.#providers.find(projectId, row.provider_id);
    const record = recordOf(row, provider, this.#core.clock.now());
    const userInfo =
      provider?.oauth2.userInfo === undefined ? undefined : await this.#live.userInfo(projectId, id);
    return userInfo === undefined ? record : { ...record, provider_user_info: userInfo };
  }

  async #make(window: Window): Promise<Made> {
    const { store, clock } = this.#core;
    const { projectId } = window;
    const rows = await repository.listConnections(store, projectId, window, window.limit, window.offset);
    const total = await repository.countConnections(store, projectId, window);
    const providers = new Map<string, Provider | undefined>();
    for (const { provider_id: id } of rows) {
      if (!providers.has(id)) providers.set(id, await this.#providers.find(projectId, id));
    }
    const now = clock.now();
    let until = Infinity;
    const records: UserConnection[] = [];
    for (const row of rows) {
      const provider = providers.get(row.provider_id);
      const record = recordOf(row, provider, now);
      records.push(record);
      const ends = row.expires_at !== null && record.connection_status === "active";
      if (ends && !(provider !== undefined && canRefresh(row, provider)))
        until = Math.min(until, row.expires_at ?? 0);
      // User info is sealed and few providers have it, so it is read separately and never cached as plain text.
      if (provider?.oauth2.userInfo === undefined) continue;
      until = 0;
      const userInfo = await this.#live.userInfo(projectId, row.id);
      if (userInfo !== undefined) record.provider_user_info = userInfo;
    }
    return { page: page(records, total, window), until };
  }
}

export function hasExpired({ expires_at }: Pick<ListedConnection, "expires_at">, now: number): boolean {
  return expires_at !== null && expires_at <= now;
}

/** Whether the token works, or can be refreshed. */
export function isUsable(row: ListedConnection, provider: Provider | undefined, now: number): boolean {
  if (row.status !== "active") return false;
  return !hasExpired(row, now) || (provider !== undefined && canRefresh(row, provider));
}

function recordOf(row: ListedConnection, provider: Provider | undefined, now: number): UserConnection {
  return {
    id: row.id,
    connection_id: row.id,
    connection_status: isUsable(row, provider, now) ? "active" : "expired",
    provider_id: row.provider_id,
    provider_type: provider?.type ?? "oauth2",
    ...(provider?.description === undefined ? {} : { provider_description: provider.description }),
    scopes: JSON.parse(row.scopes),
    user_id: row.user_id,
  };
}

function windowOf(principal: Principal, query: ConnectionsFilter): Window {
  return {
    ...paging(query),
    projectId: principal.projectId,
    userId: userToList(principal, query.user_id),
    providerId: query.provider_id,
  };
}

function userToList(principal: Principal, userId: string | undefined): string | undefined {
  const bound = visibleUsers(principal);
  if (userId !== undefined) checkUserId(userId);
  if (bound === undefined) return userId;
  const wanted = userId ?? (bound.length === 1 ? bound[0] : undefined);
  if (wanted !== undefined && bound.includes(wanted)) return wanted;
  throw forbidden("This credential is bound to certain users. Set user_id to one of them.");
}
