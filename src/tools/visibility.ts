// Which tools a user sees. While a mandatory access hook cannot be reached, lists are empty, and a request that names a
// tool fails, because the tool may well exist.
import { internalError, malformedRequest, toolNotFound } from "../errors";
import type { Principal } from "../identity";
import { hiddenTool, type ToolPolicy } from "./policy";
import type { Registries } from "./registries";
import type { Tool } from "./registry";
import type { ToolRequirements } from "./schema";
import { ToolError } from "./tool-error";

export class Visibility {
  readonly #registries: Registries;
  readonly #policy: ToolPolicy;

  constructor(registries: Registries, policy: ToolPolicy) {
    this.#registries = registries;
    this.#policy = policy;
  }

  /** The given tools that a user may see, in their order; none if a mandatory hook cannot be reached. */
  async visible(projectId: string, userId: string, among: readonly Tool[]): Promise<readonly Tool[]> {
    const seen = await this.#seen(projectId, userId, among);
    return seen instanceof ToolError ? [] : seen;
  }

  /** Another text after each change of the rules by which users of the project see tools. */
  async rulesOf(projectId: string): Promise<string> {
    return (await this.#policy.guardOf(projectId))?.accessRules ?? "";
  }

  /** Whether the user may see a tool that a request names. Throws what `checked` throws. */
  async sees(projectId: string, userId: string, tool: Tool): Promise<boolean> {
    return checked(await this.#seen(projectId, userId, [tool])).length > 0;
  }

  /**
   * A tool by any of its names; the error if a mandatory hook cannot be reached. Throws `tool_not_found`, also for a tool
   * that is hidden from the user.
   */
  async named(
    { projectId }: Principal,
    userId: string | undefined,
    name: string,
    version?: string,
  ): Promise<Tool | ToolError> {
    const tool = (await this.#registries.of(projectId)).find(name, version);
    const seen = userId === undefined ? [tool] : await this.#seen(projectId, userId, [tool]);
    if (seen instanceof ToolError) return seen;
    if (seen.length === 0) throw hiddenTool(name);
    return tool;
  }

  /** The tools of a request. Throws `tool_not_found` that names all unknown and hidden tools, and what `checked` throws. */
  async allNamed(
    { projectId }: Principal,
    userId: string,
    { tool_names = [], tools = [] }: ToolRequirements,
  ): Promise<Tool[]> {
    const names = [...tool_names.map((tool_name) => ({ tool_name, tool_version: undefined })), ...tools];
    if (names.length === 0) throw malformedRequest("tool_names or tools must name at least one tool.");
    const registry = await this.#registries.of(projectId);
    const found = names.map(({ tool_name, tool_version }) => {
      try {
        return registry.find(tool_name, tool_version);
      } catch (error) {
        return error instanceof Error ? error : new Error("unknown tool");
      }
    });
    const known = [...new Set(found.filter((item): item is Tool => !(item instanceof Error)))];
    const seen = new Set(checked(await this.#seen(projectId, userId, known)));
    const unknown = found.flatMap((item, index) => {
      if (item instanceof Error) return [item];
      return seen.has(item) ? [] : [hiddenTool(names[index]?.tool_name ?? "")];
    });
    if (unknown.length > 0) throw toolNotFound(unknown.map(({ message }) => message).join(" "));
    return known;
  }

  async #seen(
    projectId: string,
    userId: string,
    among: readonly Tool[],
  ): Promise<readonly Tool[] | ToolError> {
    const guard = await this.#policy.guardOf(projectId);
    return guard === undefined ? among : guard.seen(userId, among);
  }
}

/** Throws a retryable `internal_error` for the error of a mandatory hook that cannot be reached. */
export function checked<T>(answer: T | ToolError): T {
  if (answer instanceof ToolError) throw internalError(answer.message, { shouldRetry: true });
  return answer;
}
