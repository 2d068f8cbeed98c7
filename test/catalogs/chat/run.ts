// Runs a chat tool as the runtime does: input converted and checked before, output checked after.
import { expect } from "bun:test";
import { Value } from "typebox/value";
import { ToolError, type ConnectionCache, type ToolContext, type ToolDefinition } from "../../../src/tools";
import { convertInput } from "../../../src/tools/input";
import { chatCatalog } from "../../../catalogs/chat";
import { type ContextOptions, TestCache, TestClock, toolContext } from "../context";

export const ALL_SCOPES: readonly string[] = [
  "channels:read",
  "groups:read",
  "mpim:read",
  "im:read",
  "users:read",
  "users:read.email",
  "chat:write",
  "im:write",
  "mpim:write",
];

export function tool(name: string): ToolDefinition {
  const found = chatCatalog.tools.find((definition) => definition.name === name);
  if (found === undefined) throw new Error(`The catalog has no ${name}.`);
  return found;
}

/** One user's connection: a clock and a cache that its runs share. */
export class Connection {
  readonly clock = new TestClock();
  readonly cache: ConnectionCache = new TestCache(this.clock);
  readonly #options: ContextOptions;

  constructor(apiUrl: string, options: Partial<ContextOptions> = {}) {
    const clock = this.clock;
    const cache = this.cache;
    this.#options = { bases: { api: apiUrl }, token: "xoxp-test", clock, cache, ...options };
  }

  context(options: Partial<ContextOptions> = {}): ToolContext {
    return toolContext({ ...this.#options, ...options });
  }

  /** The tool's output, which fits its schema. */
  async run(name: string, input: { [key: string]: unknown } = {}, options: Partial<ContextOptions> = {}) {
    const definition = tool(name);
    const output = await definition.run(convertInput(definition, input), this.context(options));
    expect(Value.Check(definition.output, output)).toBe(true);
    return output;
  }

  /** The error with which the tool fails. */
  async failure(
    name: string,
    input: { [key: string]: unknown } = {},
    options: Partial<ContextOptions> = {},
  ): Promise<ToolError> {
    return failureOf(this.run(name, input, options));
  }
}

export async function failureOf(work: Promise<unknown>): Promise<ToolError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof ToolError) return error;
    throw error;
  }
  throw new Error("It should have failed.");
}
