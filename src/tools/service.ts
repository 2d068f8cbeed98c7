// The tool service: listing, requirements, consent, execution.
import type { Audit, ExecutionLog } from "../audit";
import type { Authorization, AuthorizationService, ScopesRequest } from "../authorization";
import type { Connections } from "../connections";
import type { Core } from "../core";
import { requirementsNotMet } from "../errors";
import type { Identity, Principal, Suspensions } from "../identity";
import type { Limits } from "../limits";
import type { Providers } from "../providers";
import type { Secrets } from "../secrets";
import { AskedConsents } from "./asked-consents";
import type { Catalog } from "./definition";
import { type Deprecation, whenDeprecated } from "./document";
import { DryRun } from "./dry-run";
import { Execute, type ExecuteOptions } from "./execute";
import type { Idempotency } from "./idempotency";
import { judgeInput } from "./input";
import { Listings } from "./listings";
import type { ToolPolicy } from "./policy";
import { Registries, type ToolSource } from "./registries";
import type { CatalogSummary, Registry, Tool } from "./registry";
import { Readiness } from "./readiness";
import { reportOf } from "./report";
import { firstConsent, Requirements } from "./requirements";
import { Runner } from "./run";
import { ToolSearch } from "./search";
import { Schedule } from "./schedule/service";
import { ScheduleWorker } from "./schedule/worker";
import { SelfChecks } from "./self-check";
import { ToolError } from "./tool-error";
import type {
  AuthorizeTool,
  ExecuteTool,
  Execution,
  ToolRequirements,
  ToolRequirementsReport,
} from "./schema";
import { checked, Visibility } from "./visibility";

export class Tools {
  readonly listings: Listings;
  readonly scheduled: Schedule;
  readonly selfChecks: SelfChecks;
  /** Starts the worker for scheduled runs, for long-lived processes. */
  readonly startWorker: () => ScheduleWorker;
  readonly #registries: Registries;
  readonly #search: ToolSearch;
  readonly #requirements: Requirements;
  readonly #authorization: AuthorizationService;
  readonly #asked: AskedConsents;
  readonly #execute: Execute;
  readonly #visibility: Visibility;
  readonly #dryRun: DryRun;
  readonly #actFor: Suspensions["actFor"];

  constructor(
    core: Core,
    catalogs: readonly Catalog[],
    parts: {
      identity: Identity;
      providers: Providers;
      connections: Connections;
      authorization: AuthorizationService;
      secrets: Secrets;
      audit: Audit;
      policy: ToolPolicy;
      executionLog: ExecutionLog;
      idempotency: Idempotency;
      limits: Limits;
      /** The tools of workers. */
      source: ToolSource;
    },
  ) {
    const { identity, providers, connections, authorization, secrets, executionLog, idempotency } = parts;
    this.scheduled = new Schedule(core, parts.audit, parts.limits);
    this.#registries = new Registries(core.store, catalogs, parts.source);
    this.#visibility = new Visibility(this.#registries, parts.policy);
    this.#search = new ToolSearch(this.#registries.builtIn);
    this.#actFor = (principal, userId) => identity.suspensions.actFor(principal, userId);
    const registryOf = (projectId: string) => this.#registries.of(projectId);
    this.#requirements = new Requirements(providers, connections, authorization, secrets);
    this.#authorization = authorization;
    this.#asked = new AskedConsents(core, connections, authorization);
    this.listings = new Listings({
      store: core.store,
      registryOf,
      requirements: this.#requirements,
      ranked: (projectId, among, text) => this.ranked(projectId, among, text),
      visible: (projectId, userId, among) => this.visible(projectId, userId, among),
      find: (principal, userId, name) => this.find(principal, userId, name),
      actFor: this.#actFor,
    });
    this.#dryRun = new DryRun({
      core,
      requirements: this.#requirements,
      policy: parts.policy,
      actFor: this.#actFor,
      find: (principal, userId, name, version) => this.find(principal, userId, name, version),
    });
    const executing = {
      readiness: new Readiness(this.#requirements, connections, secrets, core.settings),
      runner: new Runner(core, connections, authorization),
      policy: parts.policy,
      schedule: this.scheduled,
      executionLog,
      idempotency,
      actFor: this.#actFor,
    };
    this.#execute = new Execute(core, { ...executing, registryOf });
    this.selfChecks = new SelfChecks({
      catalogs,
      registry: this.#registries.builtIn,
      authorization,
      requirements: this.#requirements,
      visible: (projectId, userId, among) => this.visible(projectId, userId, among),
      execute: (registry) => new Execute(core, { ...executing, registryOf: async () => registry }),
    });
    this.startWorker = () =>
      new ScheduleWorker(core, {
        identity,
        registryOf,
        executionLog,
        audit: parts.audit,
        run: (principal, request, ids, by) => this.#execute.attempt(principal, request, ids, by),
      });
  }

  /** The tools of a project. */
  async registryOf(projectId: string): Promise<Registry> {
    return this.#registries.of(projectId);
  }

  /**
   * The tools among the given ones that a user may see, in their order. Every listing for a user uses this, in all
   * protocols. None if a mandatory hook cannot be reached.
   */
  async visible(projectId: string, userId: string, among: readonly Tool[]): Promise<readonly Tool[]> {
    return this.#visibility.visible(projectId, userId, among);
  }

  /** Those of the given tools of a project that match a search, the best first. */
  async ranked(projectId: string, among: readonly Tool[], text: string): Promise<readonly Tool[]> {
    return this.#search.ranked(projectId, await this.#registries.of(projectId), among, text);
  }

  /** Another text after each change of the rules by which users of the project see tools. */
  async accessRulesOf(projectId: string): Promise<string> {
    return this.#visibility.rulesOf(projectId);
  }

  /** Starts the consent for exactly the tool's scopes, or returns `completed` if none are missing. */
  async authorize(principal: Principal, request: AuthorizeTool): Promise<Authorization> {
    const { projectId } = principal;
    const userId = await this.#actFor(principal, request.user_id);
    const tool = await this.find(principal, userId, request.tool_name, request.tool_version);
    const authorization = firstConsent(await this.#requirements.of(projectId, userId, tool));
    if (authorization !== undefined && authorization.provider === undefined) {
      throw requirementsNotMet(`${authorization.reason ?? "no auth provider is configured"}.`);
    }
    if (authorization?.provider === undefined || !authorization.needsGrant) {
      return this.#authorization.createCompleted(principal, userId);
    }
    const { provider, scopes } = authorization;
    const wanted = { userId, provider, scopes, nextUri: request.next_uri };
    return this.#asked.authorize(tool, wantedBy(principal, wanted));
  }

  /** Starts the consent that a call still requires; undefined if it requires none or an administrator must act first. */
  async startMissingConsent(principal: Principal, request: ExecuteTool): Promise<Authorization | undefined> {
    const userId = await this.#actFor(principal, request.user_id);
    const tool = await this.#visibility.named(principal, userId, request.tool_name, request.tool_version);
    // The run says that the hook cannot be reached, and what is wrong with the input.
    if (tool instanceof ToolError) return undefined;
    const given = request.input ?? {};
    if ((await judgeInput(tool.definition, given)) instanceof ToolError) return undefined;
    // The caller's input is JSON; the definition only reads it.
    if (tool.definition.waivesRequirements?.(given as never) === true) return undefined;
    const state = await this.#requirements.of(principal.projectId, userId, tool);
    const authorization = firstConsent(state);
    if (authorization?.provider === undefined || authorization.met) return undefined;
    if (state.secrets.some(({ met }) => !met)) return undefined;
    const { provider, scopes } = authorization;
    return this.#startConsent(principal, { userId, provider, scopes });
  }

  /** Which requirements of the tools are met for the user. With `authorize`, starts consents for missing scopes. */
  async requirements(principal: Principal, request: ToolRequirements): Promise<ToolRequirementsReport> {
    const userId = await this.#actFor(principal, request.user_id);
    const tools = await this.#visibility.allNamed(principal, userId, request);
    return this.needsOf(principal, userId, tools, request.authorize === true);
  }

  /** The same for tools that the user sees. */
  async needsOf(
    principal: Principal,
    userId: string,
    tools: readonly Tool[],
    authorize = false,
  ): Promise<ToolRequirementsReport> {
    const { projectId } = principal;
    const lookUps = this.#requirements.lookUps(projectId, userId);
    const states = await Promise.all(
      tools.map(async (tool) => ({
        tool,
        state: await this.#requirements.of(projectId, userId, tool, lookUps),
      })),
    );
    return reportOf(states, async (provider, scopes) =>
      authorize ? this.#startConsent(principal, { userId, provider, scopes }) : undefined,
    );
  }

  #startConsent(principal: Principal, wanted: WantedConsent): Promise<Authorization> {
    return this.#authorization.forScopes(wantedBy(principal, wanted));
  }

  /** The tools that are compiled in, by toolkit and name, independent of projects and users. */
  summary(): CatalogSummary[] {
    return this.#registries.builtIn.summary();
  }

  /** The replacement of a deprecated tool, and since when, as far as known; undefined for other tools and for none. */
  async deprecationOf(
    { projectId }: Principal,
    name: string,
    version?: string,
  ): Promise<Deprecation | undefined> {
    const definition = (await this.#registries.of(projectId)).peek(name, version)?.definition;
    return definition && whenDeprecated(definition);
  }

  /** All scopes that the tools of a well-known provider need, sorted. */
  async scopesOf({ projectId }: Principal, providerId: string): Promise<string[]> {
    return (await this.#registries.of(projectId)).scopesOf(providerId);
  }

  async execute(principal: Principal, request: ExecuteTool, options?: ExecuteOptions): Promise<Execution> {
    if (request.dry_run === true) return this.#dryRun.execute(principal, request);
    return this.#execute.execute(principal, request, options);
  }

  /**
   * A tool by any of its names. Throws `tool_not_found`, also for a tool that is hidden from the user, and a retryable
   * `internal_error` if a mandatory hook cannot be reached.
   */
  async find(
    principal: Principal,
    userId: string | undefined,
    name: string,
    version?: string,
  ): Promise<Tool> {
    return checked(await this.#visibility.named(principal, userId, name, version));
  }

  /** Whether the user may see a tool that a request names. Throws `internal_error` like `find`. */
  async sees(projectId: string, userId: string, tool: Tool): Promise<boolean> {
    return this.#visibility.sees(projectId, userId, tool);
  }
}

type WantedConsent = Pick<ScopesRequest, "userId" | "provider" | "scopes" | "nextUri">;

function wantedBy(principal: Principal, wanted: WantedConsent): ScopesRequest {
  const { projectId, incarnation } = principal;
  return { projectId, incarnation, actor: principal, ...wanted };
}
