// Runs a records tool as the runtime does: input converted and checked before, output checked after.
import { expect } from "bun:test";
import { Value } from "typebox/value";
import { recordsCatalog } from "../../../catalogs/records";
import { silentLog } from "../../../src/base";
import { createEgress } from "../../../src/egress";
import { type PlatformRequest, ToolError, type ToolContext, type ToolDefinition } from "../../../src/tools";
import { checkInput } from "../../../src/tools/input";
import { type ContextOptions, TestClock, toolContext } from "../context";

export type Input = { [key: string]: unknown };

export interface UserOptions extends Partial<Omit<ContextOptions, "bases">> {
  /** The secret `VENDOR_SERVER_URL`; null: not set. */
  serverUrl?: string | null;
}

export function tool(name: string): ToolDefinition {
  const found = recordsCatalog.tools.find((definition) => definition.name === name);
  if (found === undefined) throw new Error(`The catalog has no ${name}.`);
  return found;
}

/** One user with a token and the operator's secret. */
export class User {
  readonly clock = new TestClock();
  /** What tools wrote to the run's log. */
  readonly logged: string[] = [];
  readonly #options: UserOptions;

  constructor(options: UserOptions) {
    this.#options = options;
  }

  /** The tool's output, which fits its schema. */
  async run(name: string, input: Input = {}, options: UserOptions = {}): Promise<unknown> {
    const definition = tool(name);
    const output = await definition.run(
      await checkInput(definition, input),
      this.#context({ ...this.#options, ...options }),
    );
    expect(Value.Check(definition.output, output)).toBe(true);
    return output;
  }

  /** The error with which the tool fails. */
  async failure(name: string, input: Input = {}, options: UserOptions = {}): Promise<ToolError> {
    return failureOf(this.run(name, input, options));
  }

  #context({ serverUrl, ...options }: UserOptions): ToolContext {
    const egress = createEgress({
      allow: ["loopback"],
      timeoutMs: options.requestMs ?? 30_000,
      maxBytes: 10_000_000,
      log: silentLog,
    });
    const secrets = typeof serverUrl === "string" ? { VENDOR_SERVER_URL: serverUrl } : {};
    const token = `${recordsCatalog.tokenScheme} ${options.token}`;
    const context = toolContext({ bases: {}, token: "", clock: this.clock, ...options });
    return {
      ...context,
      secrets,
      log: (_level, message) => void this.logged.push(message),
      fetch: (_base, path, { anonymous, headers, timeoutMs = Infinity, ...request }: PlatformRequest = {}) =>
        egress.fetch(`${serverUrl?.replace(/\/$/, "")}${path}`, {
          ...request,
          timeoutMs: Math.min(timeoutMs, options.requestMs ?? 30_000),
          secretsFor: [new URL(serverUrl ?? "").origin],
          headers: { ...headers, ...(anonymous ? {} : { authorization: token }) },
        }),
    };
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
