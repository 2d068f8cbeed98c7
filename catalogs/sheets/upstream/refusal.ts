// Parses the platform's error responses. Its APIs use different forms: a status with details, a list of errors with
// reasons, or an OAuth error.
import type { JsonObject } from "../../../src/tools";
import type { Answer } from "../../upstream/exchange";
import { isJsonObject, nonEmptyTextIn, objectIn, objectsIn } from "../../upstream/json";

export interface Refusal {
  status: number;
  /** The platform's message for people, if there is one. */
  message: string | undefined;
  /** Its codes for programs: the status, all reasons, the OAuth error. */
  reasons: readonly string[];
  /** The parameters that it names. */
  locations: readonly string[];
}

/** Longer messages are truncated. */
const LONGEST_MESSAGE = 500;

export function refusalIn({ status, body = {} }: Answer): Refusal {
  const error = objectIn(body, "error");
  const errors = objectsIn(error, "errors");
  const entries = [...objectsIn(error, "details"), ...errors];
  return {
    status,
    message: messageOf(body),
    reasons: [
      nonEmptyTextIn(body, "error"),
      nonEmptyTextIn(error, "status"),
      ...entries.map((entry) => nonEmptyTextIn(entry, "reason")),
    ].filter(isText),
    locations: errors.map((entry) => nonEmptyTextIn(entry, "location")).filter(isText),
  };
}

function messageOf(body: JsonObject): string | undefined {
  const error = body["error"];
  const text = isJsonObject(error)
    ? nonEmptyTextIn(error, "message")
    : nonEmptyTextIn(body, "error_description");
  return text === undefined || text.length <= LONGEST_MESSAGE ? text : `${text.slice(0, LONGEST_MESSAGE)}…`;
}

function isText(value: string | undefined): value is string {
  return value !== undefined;
}

/** Problems of a call, which the tools explain better than the platform does. */
export type Problem = RangeProblem | "office_file" | "permission";

type RangeProblem = "unknown_range" | "outside_grid" | "too_many_cells";

/** A problem has a message that matches all of its patterns. */
const RANGE_PROBLEMS: readonly (readonly [RangeProblem, readonly RegExp[]])[] = [
  ["unknown_range", [/unable to parse range/i]],
  ["outside_grid", [/exceeds grid limits/i]],
  ["too_many_cells", [/number of cells/i, /limit of \d+ cells/i]],
];

/** The problem of a call with status 400; undefined for any other. */
export function problemIn({ message = "", reasons }: Refusal): Problem | undefined {
  const range = RANGE_PROBLEMS.find(([, patterns]) => patterns.every((pattern) => pattern.test(message)));
  if (range !== undefined) return range[0];
  return isOfficeFile(message, reasons) ? "office_file" : undefined;
}

/** A workbook in another company's format opens in the browser, and no call of the interface accepts it. */
function isOfficeFile(message: string, reasons: readonly string[]): boolean {
  const isPrecondition = reasons.includes("FAILED_PRECONDITION") || reasons.includes("failedPrecondition");
  return isPrecondition && /not supported for this document|office file/i.test(message);
}
