// Checks values against schemas from outside, in bounded time.
import { Compile } from "typebox/schema";
import { Settings } from "typebox/system";
import { excerptOf } from "../base";
import type { ForeignViolation } from "./alternatives";
import type { FieldError } from "../errors";
import { guarded } from "./guard";
import type { Node } from "./references";
import { Steps, TooComplex } from "./steps";
import { fieldErrorsOf } from "./violations";

/** Less than a second. An input of a megabyte takes about a tenth of them. */
const MOST_STEPS = 5_000_000;
/** Finding out what is wrong takes much longer for each step. */
const MOST_STEPS_FOR_ERRORS = 50_000;
/** Of lists and objects. A smaller part is tried if the errors of a larger one take too long. */
const MOST_ENTRIES = [5000, 20];
const MOST_VIOLATIONS = 200;

const TOO_COMPLEX: FieldError = {
  field: "",
  rule: "complexity",
  message: "has too many parts for a schema with so many alternatives. Send less at once",
};
const UNKNOWN: FieldError = { field: "", rule: "schema", message: "does not match the schema" };

interface Compiled {
  Check(value: unknown): boolean;
  Errors(value: unknown): [boolean, ForeignViolation[]];
}

const compiled = new WeakMap<object, { check: Compiled; steps: Steps }>();

/** What is wrong with a value; empty if it is valid. `schema` comes from `checkForeignSchema`. Throws nothing. */
export function foreignErrors(schema: object, value: unknown): FieldError[] {
  const { check, steps } = compiledOnce(schema);
  try {
    steps.start(MOST_STEPS);
    if (check.Check(value)) return [];
  } catch (error) {
    return [refusal(error)];
  }
  return explained(schema, value);
}

function explained(schema: object, value: unknown): FieldError[] {
  const { maxErrors } = Settings.Get();
  // Of many alternatives, the last may be the one that was meant.
  Settings.Set({ maxErrors: MOST_VIOLATIONS });
  try {
    for (const most of MOST_ENTRIES) {
      const errors = errorsIn(schema, excerptOf(value, most));
      if (errors.length > 0) return errors;
    }
    return [UNKNOWN];
  } finally {
    Settings.Set({ maxErrors });
  }
}

/** Empty if nothing is wrong with this part of the value, or if finding out takes too long. */
function errorsIn(schema: object, excerpt: unknown): FieldError[] {
  const { check, steps } = compiledOnce(schema);
  try {
    steps.start(MOST_STEPS_FOR_ERRORS);
    return fieldErrorsOf(schema, excerpt, check.Errors(excerpt)[1]);
  } catch (error) {
    refusal(error);
    return [];
  }
}

function refusal(error: unknown): FieldError {
  // A value that is nested too deeply for the stack is too complex as well.
  if (error instanceof TooComplex || error instanceof RangeError) return TOO_COMPLEX;
  throw error;
}

function compiledOnce(schema: object): { check: Compiled; steps: Steps } {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const steps = new Steps();
  const made = { check: Compile(guarded(schema as Node, steps)), steps };
  compiled.set(schema, made);
  return made;
}
