// Converts the error of a worker to the error of a tool. Workers before 2025-09 name no kind, and newer ones may name kinds
// that are not known here. Stack traces of workers are not shown.
import { type Json, isObject } from "../../base";
import {
  GrantDead,
  TOOL_ERROR_KINDS,
  ToolError,
  type ToolErrorDetails,
  type ToolErrorKind,
} from "../../tools";
import type { Call } from "./request";

/** Kinds of this server's own decisions. A worker cannot make them. */
const OWN: readonly ToolErrorKind[] = ["TOOL_REQUIREMENTS_NOT_MET", "CONTEXT_CHECK_FAILED", "CONTEXT_DENIED"];
const MOST_LETTERS = 10_000;
const MOST_EXTRA = 65_536;
const LONGEST_WAIT_MS = 24 * 60 * 60_000;

type Fields = { [key: string]: unknown };

export function failureFrom({ worker, tool, context }: Call, given: Fields): ToolError {
  const kind = kindOf(given["kind"]);
  const message = messageOf(given["message"]) ?? `The worker ${worker.id} reports a failure and no reason.`;
  const details = detailsOf(given);
  const isRefusal = kind === "UPSTREAM_RUNTIME_AUTH_ERROR" && details.statusCode === 401;
  if (isRefusal && tool.authorization !== undefined && context.grant !== undefined)
    return new GrantDead(details.developerMessage ?? message, undefined, details);
  return new ToolError(kind, given["can_retry"] === true, message, details);
}

function kindOf(given: unknown): ToolErrorKind {
  const known = TOOL_ERROR_KINDS.find((kind) => kind === given);
  if (known !== undefined) return OWN.includes(known) ? "UNKNOWN" : known;
  if (typeof given !== "string") return "UNKNOWN";
  if (given.startsWith("UPSTREAM_RUNTIME_")) return "UPSTREAM_RUNTIME_UNMAPPED";
  return given.startsWith("NETWORK_TRANSPORT_RUNTIME_") ? "NETWORK_TRANSPORT_RUNTIME_UNMAPPED" : "UNKNOWN";
}

/** Workers put kind, type and tool in front of the message, as this server does. */
const PREFIX = /^\[[A-Z_]{1,60}\] \w{1,80} during execution of tool '[^']{1,200}': /;

function messageOf(given: unknown): string | undefined {
  const text = textOf(given)?.replace(PREFIX, "");
  return text === undefined || text.trim() === "" ? undefined : text;
}

function detailsOf(given: Fields): ToolErrorDetails {
  const developerMessage = textOf(given["developer_message"]);
  const additionalPromptContent = textOf(given["additional_prompt_content"]);
  const retryAfterMs = numberOf(given["retry_after_ms"], 0, LONGEST_WAIT_MS);
  const statusCode = numberOf(given["status_code"], 100, 599);
  const extra = extraOf(given["extra"]);
  return {
    ...(developerMessage === undefined ? {} : { developerMessage }),
    ...(additionalPromptContent === undefined ? {} : { additionalPromptContent }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(statusCode === undefined ? {} : { statusCode }),
    ...(extra === undefined ? {} : { extra }),
  };
}

function textOf(value: unknown): string | undefined {
  if (typeof value !== "string" || value === "") return undefined;
  return value.length > MOST_LETTERS ? `${value.slice(0, MOST_LETTERS)}…` : value;
}

function numberOf(value: unknown, least: number, most: number): number | undefined {
  if (typeof value !== "number" || value < least || value > most) return undefined;
  return Math.round(value);
}

function extraOf(value: unknown): { [key: string]: Json } | undefined {
  if (!isObject(value) || JSON.stringify(value).length > MOST_EXTRA) return undefined;
  // It was parsed from JSON.
  return value as { [key: string]: Json };
}
