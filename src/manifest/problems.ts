// Errors about records of a manifest. The services speak about one record; these errors say which one.
import { sentence } from "../base";
import { conflict, type FieldError, malformedRequest, RuntimeError } from "../errors";
import { type Change, type Transaction, UniqueViolation } from "../store";
import type { Step } from "./step";

/** More would not help anybody to mend a document. */
const MAX_PROBLEMS = 20;

/** The error of a manifest with these problems. */
export function refusal(problems: readonly FieldError[]): RuntimeError {
  const shown = problems.slice(0, MAX_PROBLEMS);
  const list = shown.map(({ field, message }) => (field === "" ? message : `${field} ${message}`)).join("; ");
  return malformedRequest(`failed to validate the document: ${sentence(list)} Nothing was changed.`, {
    fieldErrors: shown,
  });
}

/** The change, whose errors name its record. */
export function locatedChange(step: Step, change: Change<unknown>): Change<unknown> {
  return {
    ...change,
    *body(): Transaction<unknown> {
      try {
        return yield* change.body();
      } catch (error) {
        throw locatedError(step, error);
      }
    },
  };
}

/** The same error, about the record of the step. Errors that are not about the record are returned as they are. */
export function locatedError(step: Step, error: unknown): unknown {
  const { change, field } = step;
  const { kind, name } = change;
  if (error instanceof UniqueViolation)
    return locatedError(step, conflict("Another record already has its name. Choose another one."));
  if (!(error instanceof RuntimeError) || error.status >= 500) return error;
  const message = `${kind} "${name}": ${error.message.replace(/^failed to validate request body: /, "")}`;
  return new RuntimeError(error.name, error.status, message, {
    fieldErrors:
      error.fieldErrors?.map((each) => withPrefix(each, field)) ?? aboutRecord(field, error.message),
    cause: error,
  });
}

/** One error for all: itself if it is the only one. */
export function allOf(errors: readonly unknown[]): unknown {
  const own = errors.filter((error) => error instanceof RuntimeError);
  const other = errors.find((error) => !(error instanceof RuntimeError) || error.status >= 500);
  if (other !== undefined || own.length < 2) return other ?? errors[0];
  const messages = own.slice(0, MAX_PROBLEMS).map(({ message }) => sentence(message));
  return malformedRequest(messages.join(" "), {
    fieldErrors: own.flatMap(({ fieldErrors }) => fieldErrors ?? []).slice(0, MAX_PROBLEMS),
  });
}

// The errors of the list of hooks name the whole field already.
function withPrefix(error: FieldError, record: string | undefined): FieldError {
  const [list = ""] = (record ?? "").split(".");
  if (record === undefined || error.field.startsWith(`${list}.`)) return error;
  return { ...error, field: error.field === "" ? record : `${record}.${error.field}` };
}

function aboutRecord(record: string | undefined, message: string): FieldError[] {
  return record === undefined ? [] : [{ field: record, rule: "record", message }];
}
