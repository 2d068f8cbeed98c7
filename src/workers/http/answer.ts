// Reads an answer in the protocol. Every field may be absent or `null`, as older workers leave some out.
import { isObject, type Json, type JsonObject, parseJson } from "../../base";
import { ConsentAsked, fatal, ToolError, upstreamFailed } from "../../tools";
import { cleanDescription } from "../foreign";
import { failureFrom } from "./tool-error";
import { maybeRun } from "./no-answer";
import { artifactValue } from "./output";
import type { Call } from "./request";
import type { Withheld } from "../withheld";

const LEVELS = ["debug", "info", "warning", "error"] as const;
const MOST_LINES = 200;
const MOST_LETTERS = 10_000;

/** Undefined for a text that is not an answer in the protocol. */
export function answerIn(text: string): JsonObject | undefined {
  try {
    const body = objectIn(parseJson(text));
    return isObject(body["output"]) || typeof body["success"] === "boolean" ? body : undefined;
  } catch {
    return undefined;
  }
}

/** The output of the tool; its log lines go to the log of the run. Throws `ToolError`. */
export function outputFrom(call: Call, body: JsonObject, withheld: Withheld): Json {
  requireOwn(call, body);
  const output = objectIn(body["output"]);
  const [error, lines, needed] = [output["error"], output["logs"], output["requires_authorization"]].map(
    (part) => parseJson(withheld.withoutSecrets(JSON.stringify(part ?? null))),
  );
  log(call, lines);
  if (isObject(error)) throw failureFrom(call, error);
  if (isObject(needed)) throw consentNeeded(call);
  if (body["success"] === false)
    throw new ToolError("UNKNOWN", false, `The worker ${call.worker.id} reports a failure and no reason.`);
  return isObject(output["artifact"]) ? artifactOf(call, output["artifact"]) : (output["value"] ?? null);
}

/** A client that knows only values gets the artifact as one. */
function artifactOf({ worker, tool }: Call, given: JsonObject): Json {
  const artifact = artifactValue(given);
  if ("value" in artifact) return artifact.value;
  const message = `The worker ${worker.id} answered with ${artifact.problem}.`;
  throw maybeRun(tool, upstreamFailed(message, { canRetry: false }));
}

/** An answer to another call must not be taken for the answer to this one. Older workers may leave the id empty. */
function requireOwn({ worker, tool, context }: Call, { execution_id: id }: JsonObject): void {
  if (typeof id !== "string" || id === "" || id === context.call.executionId) return;
  const message = `The worker ${worker.id} answered another call than it was asked (execution_id).`;
  throw maybeRun(tool, upstreamFailed(message, { canRetry: false }));
}

/** The consent is that of the tool's own requirement. An address that the worker names is not passed on. */
function consentNeeded({ tool, worker, context }: Call): ToolError {
  if (tool.authorization === undefined || context.grant === undefined)
    return fatal(`The worker ${worker.id} asks for an authorization that this tool does not declare.`, {
      developerMessage: "requires_authorization",
    });
  return new ConsentAsked(worker.id);
}

function log({ tool, context }: Call, lines: Json | undefined): void {
  if (!Array.isArray(lines)) return;
  for (const line of lines.slice(0, MOST_LINES)) {
    const { message, level, subtype } = objectIn(line);
    if (typeof message !== "string") continue;
    // Some workers repeat the message of the definition, which the run has told already.
    if (subtype === "deprecation" && cleanDescription(message) === tool.deprecation) continue;
    context.log(
      LEVELS.find((known) => known === level) ?? "info",
      message.slice(0, MOST_LETTERS),
      subtype === "deprecation" ? subtype : undefined,
    );
  }
}

function objectIn(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}
