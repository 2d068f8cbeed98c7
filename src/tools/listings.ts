// Lists tools: as records or in the formats of models.
import { JsonText, type Page, page, type Paging, paging } from "../base";
import type { Principal } from "../identity";
import { CachedByGeneration, type Store } from "../store";
import { toolRecord } from "./document";
import { matching } from "./filter";
import { type Format, formatOf, formatted } from "./formats";
import { FormattedPages } from "./formats/pages";
import type { Registry, Tool } from "./registry";
import { firstConsent, type ProviderLookUps, type Requirements, requirementsRecord } from "./requirements";
import {
  DEFAULT_FORMAT,
  type FormattedToolFilter,
  type FormattedToolsFilter,
  type RequirementsRecord,
  type ToolFilter,
  type ToolRecord,
  type ToolsFilter,
} from "./schema";
import { UserPages } from "./user-pages";

/** Number of cached pages; one of a hundred tools has about 200 kB. */
const MAX_PAGES = 50;

/** The user and the formats of a listing. */
interface View {
  userId: string | undefined;
  formats: readonly Format[];
}

export interface ListingParts {
  store: Store;
  registryOf(projectId: string): Promise<Registry>;
  requirements: Requirements;
  /** `Tools.ranked` */
  ranked(projectId: string, among: readonly Tool[], text: string): Promise<readonly Tool[]>;
  /** `Tools.visible` */
  visible(projectId: string, userId: string, among: readonly Tool[]): Promise<readonly Tool[]>;
  /** `Tools.find` */
  find(principal: Principal, userId: string | undefined, name: string): Promise<Tool>;
  /** `Suspensions.actFor` */
  actFor(principal: Principal, userId: string | undefined): Promise<string>;
}

export class Listings {
  readonly #parts: ListingParts;
  readonly #pages: CachedByGeneration<string, JsonText>;
  readonly #userPages = new UserPages();
  readonly #formatted = new FormattedPages();

  constructor(parts: ListingParts) {
    this.#parts = parts;
    this.#pages = new CachedByGeneration(parts.store, "providers", MAX_PAGES);
  }

  /** Throws `invalid_parameter` for a bad filter, `unsupported_format` for an unknown format. */
  async list(principal: Principal, query: ToolsFilter): Promise<Page<ToolRecord>> {
    const view = await this.#viewOf(principal, query);
    const lookUps = this.#parts.requirements.lookUps(principal.projectId, view.userId);
    const { shown, total, window } = await this.#windowOf(principal, view, query);
    const records = shown.map((tool) => this.#record(principal, tool, view, lookUps));
    return page(await Promise.all(records), total, window);
  }

  /**
   * Like `list`, as JSON. A page without a user is cached until providers or secrets change: serializing a hundred tools
   * takes longer than answering a hundred requests.
   */
  async listing(principal: Principal, query: ToolsFilter): Promise<Page<ToolRecord> | JsonText> {
    const view = await this.#viewOf(principal, query);
    if (view.userId !== undefined)
      return view.formats.length > 0 ? this.list(principal, query) : this.#textFor(principal, view, query);
    // Hardly a search is repeated.
    if (isSearch(query)) return this.list(principal, query);
    const { store } = this.#parts;
    const [secrets, workers] = [await store.generation("secrets"), await store.generation("workers")];
    const key = JSON.stringify([principal.projectId, secrets, workers, query]);
    return this.#pages.get(key, async () => new JsonText(JSON.stringify(await this.list(principal, query))));
  }

  /** The page for one user, assembled from cached parts. */
  async #textFor(principal: Principal, view: View, query: ToolsFilter): Promise<JsonText> {
    const lookUps = this.#parts.requirements.lookUps(principal.projectId, view.userId);
    const { shown, total, window } = await this.#windowOf(principal, view, query);
    const needs = shown.map((tool) => this.#requirementsOf(principal, tool, view, lookUps));
    const { items: _, ...around } = page<unknown>(shown, total, window);
    return this.#userPages.page(shown, await Promise.all(needs), around);
  }

  async #windowOf(principal: Principal, view: View, query: ToolsFilter) {
    const window = paging(query);
    const seen = await this.#visibleIn(principal, view, await this.#found(principal, query));
    const found = isSearch(query) ? await this.#parts.ranked(principal.projectId, seen, query.query) : seen;
    const shown = found.slice(window.offset, window.offset + window.limit);
    return { shown, total: found.length, window };
  }

  /** The tools of a worker, in all versions, for administrators. */
  async ofWorker(principal: Principal, workerId: string, window: Paging): Promise<Page<ToolRecord>> {
    const { versions } = await this.#parts.registryOf(principal.projectId);
    const tools = versions.filter(({ catalog }) => catalog.worker?.id === workerId);
    const shown = tools.slice(window.offset, window.offset + window.limit);
    const view = { userId: undefined, formats: [] };
    const lookUps = this.#parts.requirements.lookUps(principal.projectId, undefined);
    const records = shown.map((tool) => this.#record(principal, tool, view, lookUps));
    return page(await Promise.all(records), tools.length, window);
  }

  async get(principal: Principal, name: string, query: ToolFilter): Promise<ToolRecord> {
    const view = await this.#viewOf(principal, query);
    return this.#record(principal, await this.#parts.find(principal, view.userId, name), view);
  }

  /**
   * Tools in one format. Without a user the page is cached. Throws `invalid_parameter` for a bad filter,
   * `unsupported_format` for an unknown format.
   */
  async formattedListing(
    principal: Principal,
    { format: name = DEFAULT_FORMAT, ...query }: FormattedToolsFilter,
  ): Promise<Page<unknown> | JsonText> {
    const format = formatOf(name);
    if (format === "arcade") return this.listing(principal, query);
    const view = await this.#viewOf(principal, query);
    const window = paging(query);
    if (view.userId === undefined) {
      const key = JSON.stringify([format, query]);
      const registry = await this.#parts.registryOf(principal.projectId);
      return this.#formatted.page(registry, key, format, () => ({ found: foundIn(registry, query), window }));
    }
    const found = await this.#visibleIn(principal, view, await this.#found(principal, query));
    const shown = found.slice(window.offset, window.offset + window.limit);
    return page(
      shown.map((tool) => formatted(tool, format)),
      found.length,
      window,
    );
  }

  /** One tool in one format. */
  async formattedGet(
    principal: Principal,
    name: string,
    { format: formatName = DEFAULT_FORMAT, ...query }: FormattedToolFilter,
  ): Promise<object> {
    const format = formatOf(formatName);
    if (format === "arcade") return this.get(principal, name, query);
    const { userId } = await this.#viewOf(principal, query);
    const tool = await this.#parts.find(principal, userId, name);
    return userId === undefined ? this.#formatted.tool(tool, format) : formatted(tool, format);
  }

  /**
   * Called before the tools are filtered, so that an empty list has the same errors as others. Nothing is listed for a suspended
   * user, for whom no tool is ready.
   */
  async #viewOf(principal: Principal, { user_id, include_format = [] }: ToolFilter): Promise<View> {
    // An API key may list tools without a user; a user token always lists for its own user.
    const isForUser = user_id !== undefined || principal.kind === "user";
    const userId = isForUser ? await this.#parts.actFor(principal, user_id) : undefined;
    return { userId, formats: include_format.map(formatOf) };
  }

  async #visibleIn(
    { projectId }: Principal,
    { userId }: View,
    among: readonly Tool[],
  ): Promise<readonly Tool[]> {
    return userId === undefined ? among : this.#parts.visible(projectId, userId, among);
  }

  async #found({ projectId }: Principal, query: ToolsFilter): Promise<readonly Tool[]> {
    return foundIn(await this.#parts.registryOf(projectId), query);
  }

  async #requirementsOf(
    { projectId }: Principal,
    tool: Tool,
    { userId }: View,
    lookUps?: ProviderLookUps,
  ): Promise<RequirementsRecord> {
    const state = await this.#parts.requirements.of(projectId, userId, tool, lookUps);
    const needs = firstConsent(state) !== undefined || state.secrets.length > 0;
    return needs ? requirementsRecord(state, userId) : { met: true };
  }

  async #record(
    principal: Principal,
    tool: Tool,
    view: View,
    lookUps?: ProviderLookUps,
  ): Promise<ToolRecord> {
    const requirements = await this.#requirementsOf(principal, tool, view, lookUps);
    const { formats } = view;
    const schemas = formats.map((format) => [format, formatted(tool, format)]);
    return {
      ...toolRecord(tool),
      requirements,
      ...(formats.length === 0 ? {} : { formatted_schema: Object.fromEntries(schemas) }),
    };
  }
}

type Search = ToolsFilter & { query: string };

function isSearch(query: ToolsFilter): query is Search {
  return query.query !== undefined && query.query.trim() !== "";
}

function foundIn(
  { versions, tools }: Registry,
  { include_all_versions: all, ...query }: ToolsFilter,
): readonly Tool[] {
  return matching(all === true ? versions : tools, query);
}
