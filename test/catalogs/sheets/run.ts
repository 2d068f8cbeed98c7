// Runs a spreadsheet tool as the runtime does: input converted and checked before, output checked after.
import { expect } from "bun:test";
import { Value } from "typebox/value";
import { sheetsCatalog } from "../../../catalogs/sheets";
import { type ConnectionCache, ToolError, type ToolContext, type ToolDefinition } from "../../../src/tools";
import { checkInput } from "../../../src/tools/input";
import type { SheetsSandbox } from "../../sandbox/sheets";
import { type ContextOptions, TestCache, TestClock, toolContext } from "../context";

const SCOPE_BASE = "https://www.googleapis.com/auth";
export const DRIVE_FILE = `${SCOPE_BASE}/drive.file`;
export const PROFILE = `${SCOPE_BASE}/userinfo.profile`;
export const EMAIL = `${SCOPE_BASE}/userinfo.email`;
export const DRIVE = `${SCOPE_BASE}/drive`;
export const DRIVE_READONLY = `${SCOPE_BASE}/drive.readonly`;
export const ALL_SCOPES: readonly string[] = [DRIVE_FILE, PROFILE, EMAIL];

type Input = { [key: string]: unknown };

export function tool(name: string): ToolDefinition {
  const found = sheetsCatalog.tools.find((definition) => definition.name === name);
  if (found === undefined) throw new Error(`The catalog has no ${name}.`);
  return found;
}

/** One user's connection: a clock and a cache that its runs share. */
export class Connection {
  readonly clock = new TestClock();
  readonly cache: ConnectionCache = new TestCache(this.clock);
  readonly #options: ContextOptions;

  constructor(bases: Record<string, string>, options: Partial<ContextOptions> = {}) {
    const { clock, cache } = this;
    this.#options = { bases, token: "ya29.test", clock, cache, ...options };
  }

  /** A connection to the stand-in, of a person who has granted these scopes. */
  static to(
    sandbox: SheetsSandbox,
    personName = "alice",
    scopes: readonly string[] = ALL_SCOPES,
    options: Partial<ContextOptions> = {},
  ): Connection {
    const { accessToken: token } = sandbox.issueToken(personName, scopes);
    return new Connection(basesOf(sandbox.url, sandbox.userinfoUrl), {
      token,
      grant: { scopes },
      ...options,
    });
  }

  context(options: Partial<ContextOptions> = {}): ToolContext {
    return toolContext({ ...this.#options, ...options });
  }

  /** The tool's output, which fits its schema. */
  async run(name: string, input: Input = {}, options: Partial<ContextOptions> = {}) {
    const definition = tool(name);
    const output = await definition.run(await checkInput(definition, input), this.context(options));
    expect({ output, fits: Value.Check(definition.output, output) }).toEqual({ output, fits: true });
    return output;
  }

  /** The error with which the tool fails. */
  async failure(name: string, input: Input = {}, options: Partial<ContextOptions> = {}): Promise<ToolError> {
    return failureOf(this.run(name, input, options));
  }
}

/** Addresses by base, as the runtime makes them of settings: paths are appended as text. */
export function basesOf(url: string, userinfo = `${url}/v1/userinfo`): Record<string, string> {
  return { sheets: `${url}/`, drive: `${url}/`, userinfo };
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

/** A part of an output by its path, such as `sheets.0.data`. */
export function at(value: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>(
      (inner, key) =>
        typeof inner === "object" && inner !== null
          ? Object.getOwnPropertyDescriptor(inner, key)?.value
          : undefined,
      value,
    );
}
