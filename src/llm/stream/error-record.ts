// Finds the errors that servers put into successful answers and streams. Their forms differ.
import { isObject } from "../../base";

type Loose = { [field: string]: unknown };

/** The error that a whole answer, a chunk or an event contains; undefined if it is not one. */
export function errorIn(record: Loose): unknown {
  const { error, object, type, choices } = record;
  if (isGiven(error)) return error;
  if (object === "error" || type === "error") return record;
  if (!Array.isArray(choices)) return isBareError(record) ? record : undefined;
  for (const choice of choices.filter(isObject)) {
    if (isGiven(choice["error"])) return choice["error"];
    const reason = choice["finish_reason"];
    if (isFailure(reason)) return { message: `The turn ended with the finish reason "${reason}".` };
  }
  return undefined;
}

/** The sentence of an error. */
export function messageIn(error: unknown): string | undefined {
  if (typeof error === "string") return error;
  if (!isObject(error)) return undefined;
  const { message, detail, error: inner, errors } = error;
  if (typeof message === "string") return message;
  for (const more of [message, detail, inner, errors]) {
    if (isObject(more) || typeof more === "string") return messageIn(more) ?? JSON.stringify(more);
    // A list of faults, each with its place.
    if (Array.isArray(more) && more.length > 0) return more.map(faultText).join("; ");
  }
  return undefined;
}

function faultText(fault: unknown): string {
  if (!isObject(fault)) return String(fault);
  const { loc, msg } = fault;
  const place = Array.isArray(loc) ? `${loc.join(".")}: ` : "";
  return typeof msg === "string" ? place + msg : (messageIn(fault) ?? JSON.stringify(fault));
}

function isGiven(error: unknown): boolean {
  return error !== undefined && error !== null && error !== false && error !== "";
}

// As web frameworks and proxies answer.
function isBareError({ type, detail, message, code, status, error_code: errorCode }: Loose): boolean {
  if (type !== undefined && code === undefined && status === undefined) return false;
  if (typeof detail === "string" || Array.isArray(detail)) return true;
  return typeof message === "string" && [code, status, errorCode].some((one) => one !== undefined);
}

/** Whether a finish reason says that the server gave up. */
function isFailure(reason: unknown): reason is string {
  return typeof reason === "string" && FAILURE.test(reason);
}

const FAILURE = /error|abort|cancel|fail|insufficient|interrupt|overload|timeout/i;
