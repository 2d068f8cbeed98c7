// `runtime tools exec`: input from flags and JSON, a missing consent, the run, the result.
import { sentence } from "../src/base";
import { RuntimeError } from "../src/errors";
import type { ExecuteTool, Execution } from "../src/tools";
import type { DryRunReport } from "../src/tools/schema";
import { type Client, userOf, withClient } from "./client/client";
import { authorizeTool, executeTool, getTool } from "./client/tools";
import { type Common, defined, oneOf } from "./command";
import { obtainConsent } from "./consent";
import { EXIT, UsageError } from "./errors";
import type { Io } from "./io";
import { type Format, FORMATS, json, printRecord, type Shape } from "./output";
import { printable, printableLines } from "./printable";
import { withProgress } from "./progress";
import { plainMessage } from "./tool-message";

export interface ExecuteToolOptions {
  name: string;
  user: string | undefined;
  /** JSON, `@file` or `-`. */
  input: string | undefined;
  /** When to run it; undefined: now. */
  runAt?: string | undefined;
  /** Only says what the run would do. */
  dryRun?: boolean;
  browser: boolean;
  /** `--name=value` words for the tool's parameters. */
  parameters: readonly string[];
}

/** Runs the tool; the exit code says whether it succeeded. */
export async function runTool(io: Io, common: Common, options: ExecuteToolOptions): Promise<number> {
  const fields = common.fields ?? [];
  if (fields.length > 0) (await import("./execution-fields")).checkExecutionFields(fields);
  const whole = options.input === undefined ? {} : await inputOf(io, options.input);
  return withClient(io, common, async (client) => {
    const user_id = userOf(client, options.user);
    const { input, output } = await withParameters(client, options, whole);
    const request = {
      tool_name: options.name,
      user_id,
      input,
      ...defined({ run_at: options.runAt }),
      ...(options.dryRun === true ? { dry_run: true } : {}),
    };
    const execution = await runWithConsent(io, client, request, options.browser);
    const shown = { ...common, ...defined({ output }) };
    const mistake = fields.length === 0 ? undefined : await mistakeIn(execution, fields);
    printExecution(
      io,
      mistake === undefined ? shown : { ...shown, fields: undefined },
      execution,
      options.name,
    );
    if (mistake === undefined) return exitCodeOfRun(execution);
    io.note(`${io.notePaint.red("error:")} ${printable(mistake.message)}`);
    return EXIT.usage;
  });
}

async function mistakeIn(execution: Execution, fields: readonly string[]): Promise<Error | undefined> {
  return (await import("./execution-fields")).mistakeInValue(execution, fields);
}

async function inputOf(io: Io, text: string): Promise<{ [name: string]: unknown }> {
  const { isObject } = await import("../src/base/json");
  const { readJsonFlag } = await import("./input");
  const value = await readJsonFlag(io, text, "--input");
  if (isObject(value)) return value;
  throw new UsageError("--input must be a JSON object.");
}

// Flags override the JSON.
async function withParameters(
  client: Client,
  { name, parameters }: ExecuteToolOptions,
  whole: { [name: string]: unknown },
): Promise<{ input: { [name: string]: unknown }; output: Format | undefined }> {
  if (parameters.length === 0) return { input: whole, output: undefined };
  const { readParameters } = await import("./parameters");
  const tool = await getTool(client, name, {});
  const read = readParameters(parameters, tool.input.parameters);
  return { input: { ...whole, ...read.input }, output: formatOf(read.options) };
}

// `--flag -o json`: only now it is known that the flag takes no value.
function formatOf(options: readonly string[]): Format | undefined {
  const at = options.findLastIndex((option) => option.startsWith("-o"));
  if (options.includes("-h"))
    throw new UsageError("-h follows a parameter. For the parameters of the tool, use --help.");
  if (at < 0) return undefined;
  const text = options[at] === "-o" ? options[at + 1] : options[at]?.slice(2);
  return oneOf(text ?? "", FORMATS, "--output");
}

// What was wrong with the input is known before a run, and is an error of the line. A dry run has the code of what is missing,
// as the run itself would have.
function exitCodeOfRun({ success, output: { value, error } = {} }: Execution): number {
  if (success) return EXIT.ok;
  if (error?.kind === BAD_INPUT) return EXIT.usage;
  if (!isDryRun(value)) return EXIT.toolFailed;
  const { authorization, secrets = [] } = value.requirements;
  const isSetUp = authorization?.status === "active" && secrets.every(({ met }) => met);
  return isSetUp ? EXIT.consent : EXIT.error;
}

const BAD_INPUT = "TOOL_RUNTIME_BAD_INPUT_VALUE";

/** Runs a tool and guides the user through a missing consent. Throws `ConsentRequired` without a terminal. */
export async function runWithConsent(
  io: Io,
  client: Client,
  request: ExecuteTool,
  browser: boolean,
): Promise<Execution> {
  const run = () => withProgress(io, request.tool_name, executeTool(client, request));
  try {
    return await run();
  } catch (error) {
    if (!isConsentRequired(error)) throw error;
    const { tool_name, user_id } = request;
    const authorization = await authorizeTool(client, { tool_name, ...defined({ user_id }) });
    await obtainConsent(io, client, authorization, { browser, what: tool_name });
    return run();
  }
}

// 403: the user must consent. 400: an administrator must change the configuration.
export function isConsentRequired(error: unknown): boolean {
  return error instanceof RuntimeError && error.name === "tool_requirements_not_met" && error.status === 403;
}

function printExecution(io: Io, common: Common, execution: Execution, tool: string): void {
  const { value, error, logs = [], authorization } = execution.output ?? {};
  if (common.output === "table" && common.fields === undefined && execution.status !== "pending")
    io.out(execution.success || isDryRun(value) ? shown(value) : "");
  else printRecord(io, common, execution, SHAPE);
  if (execution.status === "pending")
    io.note(
      `It runs at ${printable(execution.run_at ?? "")} if a server is running. ` +
        `To see the result: runtime scheduled show ${printable(execution.id)}`,
    );
  for (const { level, message } of logs) io.note(printable(`${level}: ${message}`));
  if (error === undefined) return;
  const problem = printable(plainMessage(error, tool));
  const told = error.can_retry ? `${sentence(problem)} You can retry it.` : problem;
  const label = error.kind === BAD_INPUT ? "error:" : "failed:";
  io.note(`${io.notePaint.red(label)} ${told}`);
  // A schema is for models; the help has the same for people.
  const hint = error.additional_prompt_content;
  if (hint !== undefined && !(error.kind === BAD_INPUT && hint.includes("{"))) io.note(printableLines(hint));
  if (authorization?.url !== undefined)
    io.note(`The user must consent again: ${printable(authorization.url)}`);
}

// What would happen is the answer, also if the tool would not run.
function isDryRun(value: unknown): value is DryRunReport {
  return typeof value === "object" && value !== null && "dry_run" in value;
}

const SHAPE: Shape<Execution> = {
  name: ({ id }) => id,
  optional: ["output", "finished_at", "run_at", "duration"],
  columns: [{ title: "id", value: ({ id }) => id }],
};

function shown(value: unknown): string {
  if (typeof value === "string") return `${printableLines(value)}\n`;
  return value === undefined ? "" : json(value);
}
