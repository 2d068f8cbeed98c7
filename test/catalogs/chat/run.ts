// Runs a chat tool as the runtime does: input converted and checked before, output checked after.
import { expect } from "bun:test";
import type { Static, TSchema } from "typebox";
import { Value } from "typebox/value";
import { ToolError, type ConnectionCache, type ToolContext, type ToolDefinition } from "../../../src/tools";
import { checkInput } from "../../../src/tools/input";
import { chatCatalog } from "../../../catalogs/chat";
import type { ChatSandbox } from "../../sandbox/chat";
import { type ContextOptions, TestCache, TestClock, toolContext } from "../context";

/** Every scope that a tool of this catalog declares. */
export const ALL_SCOPES: readonly string[] = [
  "channels:read",
  "groups:read",
  "mpim:read",
  "im:read",
  "channels:history",
  "groups:history",
  "mpim:history",
  "im:history",
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

/** The connection of a person of the stand-in, who is known by the grant. */
export function connectionOf(
  sandbox: ChatSandbox,
  name: "alice" | "bob" | "carol" = "alice",
  scopes: readonly string[] = ALL_SCOPES,
): Connection {
  const { accessToken } = sandbox.issueToken(name, scopes);
  const facts = { user_id: sandbox.people[name].id, team_id: sandbox.team.id };
  return new Connection(sandbox.apiUrl, { token: accessToken, grant: { scopes, facts } });
}

/** One user's connection: a clock and a cache that its runs share. */
export class Connection {
  readonly clock = new TestClock();
  readonly cache: ConnectionCache;
  readonly #options: ContextOptions;

  /** @param time of the cache: that of the options, if they have a clock */
  constructor(
    apiUrl: string,
    options: Partial<ContextOptions> = {},
    time: Pick<TestClock, "now"> = this.clock,
  ) {
    const clock = this.clock;
    const cache = (this.cache = new TestCache(time));
    this.#options = { bases: { api: apiUrl }, token: "xoxp-test", clock, cache, ...options };
  }

  context(options: Partial<ContextOptions> = {}): ToolContext {
    return toolContext({ ...this.#options, ...options });
  }

  /** The tool's output, which fits its schema. */
  async run(name: string, input: { [key: string]: unknown } = {}, options: Partial<ContextOptions> = {}) {
    const definition = tool(name);
    const output = await definition.run(await checkInput(definition, input), this.context(options));
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

/** The output, known to have this shape; otherwise the test fails. */
export function shaped<Schema extends TSchema>(schema: Schema, output: unknown): Static<Schema> {
  if (!Value.Check(schema, output)) throw new Error(`Another shape: ${JSON.stringify(output)}`);
  return output;
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
