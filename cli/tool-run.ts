// `runtime tools exec`: input from flags and JSON, the consent that is owed, the run, the result.
import { malformedRequest, RuntimeError } from "../src/errors";
import type { ExecuteTool, Execution } from "../src/tools";
import type { Common } from "./command";
import { obtainConsent } from "./consent";
import { EXIT, UsageError } from "./errors";
import type { Io } from "./io";
import { json, print } from "./output";
import { printable, printableLines } from "./printable";
import { type Session, userOf, withSession } from "./session";

export interface ExecuteToolOptions {
  name: string;
  user: string | undefined;
  /** JSON, `@file` or `-`. */
  input: string | undefined;
  browser: boolean;
  /** `--name=value` words for the tool's parameters. */
  parameters: readonly string[];
}

/** Runs the tool; the exit code says whether it succeeded. */
export async function executeTool(io: Io, common: Common, options: ExecuteToolOptions): Promise<number> {
  const { checked } = await import("../src/base");
  const { ExecuteToolRequest } = await import("../src/tools");
  const whole = options.input === undefined ? {} : await inputOf(io, options.input);
  return withSession(io, common, async (session) => {
    // Before anything looks at providers: their addresses are made for the server that runs.
    await session.server();
    const user_id = userOf(session, options.user);
    const input = await withParameters(session, options, whole);
    const request = checked(ExecuteToolRequest, { tool_name: options.name, user_id, input }, "tool call");
    const execution = await executeWithConsent(io, session, request, options.browser);
    printExecution(io, common, execution);
    return execution.success ? EXIT.ok : EXIT.toolFailed;
  });
}

async function inputOf(io: Io, text: string): Promise<{ [name: string]: unknown }> {
  const { isObject } = await import("../src/base");
  const { parsed, readJson } = await import("./input");
  const inline = !text.startsWith("@") && text !== "-";
  if (inline && !text.trimStart().startsWith("{")) {
    throw new UsageError("--input takes a JSON object, @FILE, or - for standard input.");
  }
  const value = inline ? parsed(text, "--input") : await readJson(io, text.replace(/^@/, ""), "--input");
  if (isObject(value)) return value;
  throw malformedRequest("--input must be a JSON object.");
}

// Flags win over the JSON.
async function withParameters(
  { runtime, principal }: Session,
  { name, parameters }: ExecuteToolOptions,
  whole: { [name: string]: unknown },
): Promise<{ [name: string]: unknown }> {
  if (parameters.length === 0) return whole;
  const { readParameters } = await import("./parameters");
  const tool = await runtime.tools.get(principal, name, {});
  return { ...whole, ...readParameters(parameters, tool.input.parameters) };
}

async function executeWithConsent(
  io: Io,
  session: Session,
  request: ExecuteTool,
  browser: boolean,
): Promise<Execution> {
  const { runtime, principal } = session;
  try {
    return await runtime.tools.execute(principal, request);
  } catch (error) {
    if (!isConsentOwed(error)) throw error;
    const { tool_name, user_id } = request;
    const authorization = await runtime.tools.authorize(principal, {
      tool_name,
      ...(user_id === undefined ? {} : { user_id }),
    });
    await obtainConsent(io, session, authorization, { browser, what: tool_name });
    return runtime.tools.execute(principal, request);
  }
}

// 403: the user's own to give. With 400 an administrator has something to set up first.
function isConsentOwed(error: unknown): boolean {
  return error instanceof RuntimeError && error.name === "tool_requirements_not_met" && error.status === 403;
}

function printExecution(io: Io, { output }: Common, execution: Execution): void {
  const { value, error, logs = [], authorization } = execution.output ?? {};
  print(io, output, execution, () => (execution.success ? shown(value) : ""));
  for (const { level, message } of logs) io.note(printable(`${level}: ${message}`));
  if (error === undefined) return;
  const retry = error.can_retry ? " It may be tried again." : "";
  io.note(`${io.notePaint.red("failed:")} ${printable(`${error.message} (${error.kind})`)}${retry}`);
  if (error.additional_prompt_content !== undefined) io.note(printableLines(error.additional_prompt_content));
  if (authorization?.url !== undefined) io.note(`The user has to consent again: ${authorization.url}`);
}

function shown(value: unknown): string {
  if (typeof value === "string") return `${printableLines(value)}\n`;
  return value === undefined ? "" : json(value);
}
