// Self-checks: the same path as a tool (hooks, requirements, grant, time limit, execution log), with a tool that exists only
// for one run and that cannot be called or listed.
import { Type } from "typebox";
import type { Authorization, AuthorizationService } from "../../authorization";
import type { Abortable } from "../../base";
import { malformedRequest, requirementsNotMet } from "../../errors";
import { actFor, type Principal } from "../../identity";
import type { Catalog, ToolContext, ToolDefinition } from "../definition";
import type { Execute } from "../execute";
import { Registry, type Tool } from "../registry";
import type { Requirements } from "../requirements";
import type { Execution } from "../schema";
import type { CheckRow, Reason, SelfCheck } from "./definition";
import { allResults, type CheckResult, type Incomplete, runChecks } from "./run";

export interface SelfCheckRequest {
  platform: string;
  user_id: string;
  /** Also the checks that change something. */
  write: boolean;
}

export interface SelfCheckOptions {
  /** Ends the run; the report then has what was seen so far. */
  signal?: Abortable;
  onResult?(result: CheckResult): void;
}

/** Contains no content of the account. */
export interface SelfCheckReport {
  platform: string;
  /** Of the toolkit. */
  version: string;
  write: boolean;
  complete: boolean;
  /** Why it is not complete. */
  incomplete: Incomplete | null;
  as_expected: number;
  differs: number;
  observed: number;
  not_checked: number;
  checks: CheckResult[];
}

export interface SelfCheckOutcome {
  report: SelfCheckReport;
  /** The error of a run that ended early, for the person at the terminal. Not a part of the report. */
  error: NonNullable<Execution["output"]>["error"];
}

interface Parts {
  catalogs: readonly Catalog[];
  registry: Registry;
  authorization: AuthorizationService;
  requirements: Requirements;
  /** The tools that a user may see. */
  visible(projectId: string, userId: string, among: readonly Tool[]): Promise<readonly Tool[]>;
  /** Runs the tools of this registry. */
  execute(registry: Registry): Execute;
}

/** A catalog that has a self-check, with its tools by name. */
interface Checked {
  catalog: Catalog;
  selfCheck: SelfCheck;
  tools: ReadonlyMap<string, Tool>;
}

const NAME = "SelfCheck";

export class SelfChecks {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The names of the platforms that have a self-check, sorted. */
  get platforms(): string[] {
    return this.#parts.catalogs.flatMap(({ selfCheck }) => selfCheck?.platform ?? []).toSorted();
  }

  /**
   * Runs the checks with the user's grant. Throws what `Tools.execute` throws, such as `tool_requirements_not_met` with 403 if
   * the user must consent, and `malformed_request` for a platform without a self-check.
   */
  async run(
    principal: Principal,
    request: SelfCheckRequest,
    { signal, onResult }: SelfCheckOptions = {},
  ): Promise<SelfCheckOutcome> {
    const { write } = request;
    const checked = this.#checked(request.platform);
    const userId = actFor(principal, request.user_id);
    const skipped = await this.#skipped(principal.projectId, userId, checked, write);
    const results: CheckResult[] = [];
    let incomplete: Incomplete | null = null;
    const tool = definitionOf(checked, write, (context) => {
      // The run is repeated if the token had to be renewed.
      results.length = 0;
      return runChecks(
        {
          selfCheck: checked.selfCheck,
          skipped,
          onResult: (result) => {
            results.push(result);
            onResult?.(result);
          },
          onLimit: (limit) => (incomplete = limit),
        },
        context,
      );
    });
    const execution = await this.#parts
      .execute(new Registry([{ ...checked.catalog, tools: [tool] }]))
      .execute(
        principal,
        { tool_name: `${checked.catalog.toolkit.name}.${NAME}`, user_id: userId, input: { write } },
        { signal, entry: "check" },
      );
    const error = execution.output?.error;
    incomplete = endOf(error, signal?.aborted === true) ?? incomplete;
    // What a hook withholds is not shown.
    const shown = incomplete?.reason === "refused" ? [] : results;
    return { report: reportOf(checked, write, incomplete, shown), error };
  }

  /** Starts the consent for what a run needs. */
  async authorize(principal: Principal, request: SelfCheckRequest): Promise<Authorization> {
    const { projectId, incarnation } = principal;
    const userId = actFor(principal, request.user_id);
    const checked = this.#checked(request.platform);
    const definition = definitionOf(checked, request.write, () => Promise.resolve());
    const [tool] = new Registry([{ ...checked.catalog, tools: [definition] }]).tools;
    const state = tool === undefined ? undefined : await this.#parts.requirements.of(projectId, userId, tool);
    const { provider, scopes = [], reason } = state?.authorization ?? {};
    if (provider === undefined) throw requirementsNotMet(`${reason ?? "no auth provider is configured"}.`);
    return this.#parts.authorization.forScopes({
      projectId,
      incarnation,
      actor: principal,
      userId,
      provider,
      scopes,
    });
  }

  #checked(platform: string): Checked {
    const catalog = this.#parts.catalogs.find(({ selfCheck }) => selfCheck?.platform === platform);
    if (catalog?.selfCheck === undefined)
      throw malformedRequest(
        `There is no self-check of this platform. Use one of: ${this.platforms.join(", ")}.`,
      );
    const named = catalog.tools.map(({ name }) =>
      this.#parts.registry.find(`${catalog.toolkit.name}.${name}`),
    );
    return {
      catalog,
      selfCheck: catalog.selfCheck,
      tools: new Map(named.map((tool) => [tool.definition.name, tool])),
    };
  }

  /** The checks that this user may not run, or that need `write`. */
  async #skipped(
    projectId: string,
    userId: string,
    { selfCheck, tools }: Checked,
    write: boolean,
  ): Promise<Map<string, Reason>> {
    const visible = new Set(await this.#parts.visible(projectId, userId, [...tools.values()]));
    const lacking = new Set<Tool>();
    for (const tool of new Set(selfCheck.checks.map((row) => toolOf(tools, row)))) {
      const { authorization } = await this.#parts.requirements.of(projectId, userId, tool);
      if (authorization?.granted === true && authorization.missing.length > 0) lacking.add(tool);
    }
    const reasonOf = (row: CheckRow): Reason | undefined => {
      const tool = toolOf(tools, row);
      if (!visible.has(tool)) return "hidden_by_hook";
      if (row.writes === true && !write) return "needs_write";
      return lacking.has(tool) ? "missing_permission" : undefined;
    };
    return new Map(
      selfCheck.checks.flatMap((row): [string, Reason][] => {
        const reason = reasonOf(row);
        return reason === undefined ? [] : [[row.name, reason]];
      }),
    );
  }
}

/** The tool of one run. It needs the permissions of the first tool, with `write` also those of the checks that write. */
function definitionOf(
  { selfCheck, tools }: Checked,
  write: boolean,
  run: (context: ToolContext) => Promise<void>,
): ToolDefinition {
  const writing = write ? selfCheck.checks.filter((row) => row.writes === true) : [];
  const needed = [{ tool: selfCheck.tool }, ...writing].map((row) => toolOf(tools, row).definition);
  const provider = needed[0]?.authorization?.provider ?? "";
  return {
    name: NAME,
    description: "Compares the platform's behaviour with what the tools expect.",
    input: Type.Object({ write: Type.Boolean({ description: "Whether it may also write" }) }),
    output: Type.Object({}),
    authorization: {
      provider,
      scopes: [...new Set(needed.flatMap(({ authorization }) => authorization?.scopes ?? []))],
    },
    secrets: [...new Set(needed.flatMap(({ secrets }) => secrets ?? []))],
    metadata: {
      behavior: {
        operations: write ? ["read", "create"] : ["read"],
        read_only: !write,
        destructive: false,
        idempotent: !write,
        open_world: true,
      },
    },
    run: async (_input, context) => {
      await run(context);
      return {};
    },
  };
}

function toolOf(tools: ReadonlyMap<string, Tool>, { tool: name }: Pick<CheckRow, "tool">): Tool {
  const tool = tools.get(name);
  if (tool === undefined) throw new Error(`a check names the tool ${name}, which does not exist`);
  return tool;
}

function endOf(error: SelfCheckOutcome["error"], isAborted: boolean): Incomplete | null {
  if (error === undefined) return null;
  if (isAborted) return { reason: "interrupted" };
  if (error.kind === "UPSTREAM_RUNTIME_AUTH_ERROR") return { reason: "grant_refused" };
  return { reason: error.kind === "NETWORK_TRANSPORT_RUNTIME_TIMEOUT" ? "time_up" : "refused" };
}

function reportOf(
  { catalog, selfCheck }: Checked,
  write: boolean,
  incomplete: Incomplete | null,
  results: readonly CheckResult[],
): SelfCheckReport {
  const checks = allResults(selfCheck, results);
  const count = (status: CheckResult["status"]): number =>
    checks.filter((result) => result.status === status).length;
  return {
    platform: selfCheck.platform,
    version: catalog.toolkit.version,
    write,
    complete: incomplete === null,
    incomplete,
    as_expected: count("as_expected"),
    differs: count("differs"),
    observed: count("observed"),
    not_checked: count("not_checked"),
    checks,
  };
}
