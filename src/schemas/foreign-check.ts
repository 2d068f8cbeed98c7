// Checks values against schemas from outside, in bounded time.
import { Compile } from "typebox/schema";
import { Settings } from "typebox/system";
import { excerptOf } from "../base";
import type { ForeignViolation } from "./alternatives";
import type { FieldError } from "../errors";
import { withDoubles, withLongIntegers } from "./digits";
import { guarded } from "./guard";
import type { Node } from "./references";
import { Steps, TooComplex } from "./steps";
import { fieldErrorsOf } from "./violations";

/** Less than a second. An input of a megabyte takes about a tenth of them. */
const MOST_STEPS = 3_000_000;
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

/** A check that collects what is evaluated takes much longer for each step. */
const COLLECTS = /"unevaluated(?:Items|Properties)"/;
const TIMES_LONGER = 10;

interface Prepared {
  check: Compiled;
  steps: Steps;
  timesLonger: number;
}

const prepared = new WeakMap<object, Prepared>();

/** What is wrong with a value; empty if it is valid. `schema` comes from `checkForeignSchema`. */
export function foreignErrors(schema: object, value: unknown): FieldError[] {
  const isValid = verdict(schema, value);
  if (isValid === undefined) return [TOO_COMPLEX];
  return isValid ? [] : explained(schema, value);
}

/** Whether a value is valid, with integers of any length as `parseJson` reads them. Not if finding out takes too long. */
export function fitsForeign(schema: object, value: unknown): boolean {
  return verdict(schema, withDoubles(withLongIntegers(schema, value))) === true;
}

/** Undefined if finding out takes too long. */
function verdict(schema: object, value: unknown): boolean | undefined {
  return within(schema, MOST_STEPS, (check) => check.Check(value));
}

function explained(schema: object, value: unknown): FieldError[] {
  const { maxErrors } = Settings.Get();
  // Of many alternatives, the last may be the one that was meant.
  Settings.Set({ maxErrors: MOST_VIOLATIONS });
  try {
    for (const most of MOST_ENTRIES) {
      const excerpt = excerptOf(value, most);
      const violations = within(schema, MOST_STEPS_FOR_ERRORS, (check) => check.Errors(excerpt)[1]);
      const errors = violations === undefined ? [] : fieldErrorsOf(schema, excerpt, violations);
      if (errors.length > 0) return errors;
    }
    return [UNKNOWN];
  } finally {
    Settings.Set({ maxErrors });
  }
}

/** The result of the work; undefined if it takes more steps, or more levels than the stack has. */
function within<T>(schema: object, most: number, work: (check: Compiled) => T): T | undefined {
  try {
    const { check, steps, timesLonger } = preparedOnce(schema);
    steps.start(most / timesLonger);
    return work(check);
  } catch (error) {
    if (error instanceof TooComplex || error instanceof RangeError) return undefined;
    throw error;
  }
}

function preparedOnce(schema: object): Prepared {
  const known = prepared.get(schema);
  if (known !== undefined) return known;
  const steps = new Steps();
  const timesLonger = COLLECTS.test(JSON.stringify(schema)) ? TIMES_LONGER : 1;
  const made = { check: Compile(guarded(schema as Node, steps)), steps, timesLonger };
  prepared.set(schema, made);
  return made;
}
