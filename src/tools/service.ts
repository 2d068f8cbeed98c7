// Tools as fronts use them: listing, requirements, consent, execution.
import { JsonText, type Page, page, paging } from "../base";
import type { ExecutionLog } from "../audit";
import type { Authorization, AuthorizationService } from "../authorization";
import type { Connections } from "../connections";
import type { Core } from "../core";
import { malformedRequest, toolNotFound } from "../errors";
import { actFor, type Identity, type Principal } from "../identity";
import type { Providers } from "../providers";
import type { Secrets } from "../secrets";
import { CachedByGeneration, type Store } from "../store";
import { Consents } from "./consents";
import type { Catalog } from "./definition";
import { toolRecord } from "./document";
import { Execute, type ExecuteOptions } from "./execute";
import { matching } from "./filter";
import { DEFAULT_FORMAT, formatOf, formatted } from "./formats";
import { FormattedPages } from "./formats/pages";
import { hiddenTool, type ToolPolicy } from "./policy";
import { Registry, type Tool } from "./registry";
import { Readiness } from "./readiness";
import { reportOf } from "./report";
import { Requirements, requirementsRecord } from "./requirements";
import { Runner } from "./run";
import { Schedule } from "./schedule/service";
import { ScheduleWorker } from "./schedule/worker";
import { type View, viewOf } from "./view";
import { type CatalogSummary, scopesFor, summaryOf } from "./summary";
import type {
  AuthorizeTool,
  ExecuteTool,
  Execution,
  FormattedToolFilter,
  FormattedToolsFilter,
  ToolFilter,
  ToolRecord,
  ToolRequirements,
  ToolRequirementsReport,
  ToolsFilter,
} from "./schema";

/** Pages that are kept; one of a hundred tools is some 200 kB. */
const MOST_PAGES = 50;

export class Tools {
  /** All tools in their newest version, sorted by name, whoever may see them. For showing to a user: `visible`. */
  readonly all: readonly Tool[];
  readonly scheduled: Schedule;
  /** Begins to run what is due, until the worker is stopped. For a process that stays. */
  readonly startWorker: () => ScheduleWorker;
  readonly #registry: Registry;
  readonly #requirements: Requirements;
  readonly #authorization: AuthorizationService;
  readonly #consents: Consents;
  readonly #execute: Execute;
  readonly #policy: ToolPolicy;
  readonly #store: Store;
  readonly #pages: CachedByGeneration<string, JsonText>;
  readonly #formatted = new FormattedPages();

  constructor(
    core: Core,
    catalogs: readonly Catalog[],
    parts: {
      identity: Identity;
      providers: Providers;
      connections: Connections;
      authorization: AuthorizationService;
      secrets: Secrets;
      policy: ToolPolicy;
      executionLog: ExecutionLog;
    },
  ) {
    const { identity, providers, connections, authorization, secrets, executionLog } = parts;
    this.scheduled = new Schedule(core);
    this.#registry = new Registry(catalogs);
    this.all = this.#registry.tools;
    this.#store = core.store;
    this.#pages = new CachedByGeneration(core.store, "providers", MOST_PAGES);
    this.#requirements = new Requirements(providers, connections, authorization, secrets);
    this.#authorization = authorization;
    this.#consents = new Consents(this.#requirements, authorization);
    this.#policy = parts.policy;
    this.#execute = new Execute(core, {
      registry: this.#registry,
      readiness: new Readiness(this.#requirements, connections, secrets),
      runner: new Runner(core, connections, authorization),
      policy: parts.policy,
      schedule: this.scheduled,
      executionLog,
    });
    this.startWorker = () =>
      new ScheduleWorker(core, {
        identity,
        registry: this.#registry,
        executionLog,
        run: (principal, request, ids) => this.#execute.attempt(principal, request, ids),
      });
  }

  /** Throws `invalid_parameter` for a bad filter, `unsupported_format` for an unknown format. */
  async list(principal: Principal, query: ToolsFilter): Promise<Page<ToolRecord>> {
    const window = paging(query);
    const view = viewOf(principal, query);
    const found = await this.#visibleIn(principal, view, this.#found(query));
    const shown = found.slice(window.offset, window.offset + window.limit);
    return page(
      await Promise.all(shown.map((tool) => this.#record(principal, tool, view))),
      found.length,
      window,
    );
  }

  /**
   * The same as JSON. What is the same for every user is made once for the providers and secrets of this moment: a page
   * of a hundred tools takes longer to make than a hundred requests to answer.
   */
  async listing(principal: Principal, query: ToolsFilter): Promise<Page<ToolRecord> | JsonText> {
    if (viewOf(principal, query).userId !== undefined) return this.list(principal, query);
    const secrets = await this.#store.generation("secrets");
    const key = JSON.stringify([principal.projectId, secrets, query]);
    return this.#pages.get(key, async () => new JsonText(JSON.stringify(await this.list(principal, query))));
  }

  async get(principal: Principal, name: string, query: ToolFilter): Promise<ToolRecord> {
    const view = viewOf(principal, query);
    return this.#record(principal, await this.find(principal, view.userId, name), view);
  }

  /**
   * Tools in one format. Without a user they are the same for everybody, and made once. Throws `invalid_parameter` for
   * a bad filter, `unsupported_format` for an unknown format.
   */
  async formattedListing(
    principal: Principal,
    { format: name = DEFAULT_FORMAT, ...query }: FormattedToolsFilter,
  ): Promise<Page<unknown> | JsonText> {
    const format = formatOf(name);
    if (format === "arcade") return this.listing(principal, query);
    const view = viewOf(principal, query);
    const window = paging(query);
    if (view.userId === undefined) {
      const key = JSON.stringify([format, query]);
      return this.#formatted.page(key, format, () => ({
        found: this.#found(query),
        window,
      }));
    }
    const found = await this.#visibleIn(principal, view, this.#found(query));
    const shown = found.slice(window.offset, window.offset + window.limit);
    return page(
      shown.map((tool) => formatted(tool, format)),
      found.length,
      window,
    );
  }

  /**
   * Those of the tools that a user may see, in their order; of all tools, sorted by name, when none are given. Every
   * listing for a user, whatever its protocol, starts here.
   */
  async visible(
    projectId: string,
    userId: string,
    among: readonly Tool[] = this.#registry.tools,
  ): Promise<readonly Tool[]> {
    const guard = await this.#policy.guardOf(projectId);
    return guard === undefined ? among : guard.visible(userId, among);
  }

  /** One tool in one format. */
  async formattedGet(
    principal: Principal,
    name: string,
    { format: formatName = DEFAULT_FORMAT, ...query }: FormattedToolFilter,
  ): Promise<object> {
    const format = formatOf(formatName);
    if (format === "arcade") return this.get(principal, name, query);
    const { userId } = viewOf(principal, query);
    const tool = await this.find(principal, userId, name);
    return userId === undefined ? this.#formatted.tool(tool, format) : formatted(tool, format);
  }

  /** Starts the consent for exactly the tool's scopes, or answers `completed` when nothing is owed. */
  async authorize(principal: Principal, request: AuthorizeTool): Promise<Authorization> {
    const { projectId } = principal;
    const userId = actFor(principal, request.user_id);
    const tool = await this.find(principal, userId, request.tool_name, request.tool_version);
    return this.#consents.start(projectId, userId, tool, request.next_uri);
  }

  /** The consent that a call still waits for, started; undefined when none does. Throws what stands in its way. */
  async owed(principal: Principal, request: ExecuteTool): Promise<Authorization | undefined> {
    const userId = actFor(principal, request.user_id);
    const tool = await this.find(principal, userId, request.tool_name, request.tool_version);
    return this.#consents.owed(principal.projectId, userId, tool, request.input ?? {});
  }

  /** What of the tools' needs is met for the user. With `authorize`, consents are started for what is not. */
  async requirements(principal: Principal, request: ToolRequirements): Promise<ToolRequirementsReport> {
    const { projectId } = principal;
    const userId = actFor(principal, request.user_id);
    const tools = await this.#named(principal, userId, request);
    const states = await Promise.all(
      tools.map(async (tool) => ({ tool, state: await this.#requirements.of(projectId, userId, tool) })),
    );
    return reportOf(states, async (provider, scopes) =>
      request.authorize === true
        ? this.#authorization.forScopes({ projectId, userId, provider, scopes })
        : undefined,
    );
  }

  /** What there is, by toolkit and name: nothing of any project or user. */
  summary(): CatalogSummary[] {
    return summaryOf(this.#registry.tools);
  }

  /** What has replaced a tool, and since when; undefined for a tool that is not deprecated. */
  deprecationOf(name: string, version?: string): { replacement: string; since: Date } | undefined {
    const { replacement, deprecatedSince } = this.#registry.find(name, version).definition;
    if (replacement === undefined || deprecatedSince === undefined) return undefined;
    return { replacement, since: new Date(deprecatedSince) };
  }

  /** All scopes that the tools of a well-known provider need, sorted. */
  scopesOf(providerId: string): string[] {
    return scopesFor(providerId, this.#registry.versions);
  }

  execute(principal: Principal, request: ExecuteTool, options?: ExecuteOptions): Promise<Execution> {
    return this.#execute.execute(principal, request, options);
  }

  async #visibleIn(
    { projectId }: Principal,
    { userId }: View,
    among: readonly Tool[],
  ): Promise<readonly Tool[]> {
    return userId === undefined ? among : this.visible(projectId, userId, among);
  }

  /** A tool by any of its names. Throws `tool_not_found` also for one that is hidden from the user. */
  async find(
    { projectId }: Principal,
    userId: string | undefined,
    name: string,
    version?: string,
  ): Promise<Tool> {
    const tool = this.#registry.find(name, version);
    if (userId === undefined || (await this.visible(projectId, userId, [tool])).length > 0) return tool;
    throw hiddenTool(name);
  }

  #found({ include_all_versions: all, ...query }: ToolsFilter): readonly Tool[] {
    return matching(all === true ? this.#registry.versions : this.#registry.tools, query);
  }

  /** Throws `tool_not_found` that names all that are unknown or hidden from the user. */
  async #named(
    { projectId }: Principal,
    userId: string,
    { tool_names = [], tools = [] }: ToolRequirements,
  ): Promise<Tool[]> {
    const names = [...tool_names.map((tool_name) => ({ tool_name, tool_version: undefined })), ...tools];
    if (names.length === 0) throw malformedRequest("tool_names or tools must name at least one tool.");
    const found = names.map(({ tool_name, tool_version }) => {
      try {
        return this.#registry.find(tool_name, tool_version);
      } catch (error) {
        return error instanceof Error ? error : new Error("unknown tool");
      }
    });
    const known = [...new Set(found.filter((item): item is Tool => !(item instanceof Error)))];
    const visible = new Set(await this.visible(projectId, userId, known));
    const unknown = found.flatMap((item, index) => {
      if (item instanceof Error) return [item];
      return visible.has(item) ? [] : [hiddenTool(names[index]?.tool_name ?? "")];
    });
    if (unknown.length > 0) throw toolNotFound(unknown.map(({ message }) => message).join(" "));
    return known;
  }

  async #record(principal: Principal, tool: Tool, { userId, formats }: View): Promise<ToolRecord> {
    const state = await this.#requirements.of(principal.projectId, userId, tool);
    const needs = state.authorization !== undefined || state.secrets.length > 0;
    const schemas = formats.map((format) => [format, formatted(tool, format)]);
    return {
      ...toolRecord(tool),
      requirements: needs ? requirementsRecord(state, userId) : { met: true },
      ...(formats.length === 0 ? {} : { formatted_schema: Object.fromEntries(schemas) }),
    };
  }
}
