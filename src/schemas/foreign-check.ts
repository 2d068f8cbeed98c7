// Checks values against schemas from outside, in bounded time.
import { Compile } from "typebox/schema";
import { Settings } from "typebox/system";
import { excerptOf } from "../base";
import type { ForeignViolation } from "./alternatives";
import type { FieldError } from "../errors";
import { Applicable } from "./applicable";
import { cleaned, forUntestedPatterns } from "./cleaned";
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

export const TOO_COMPLEX: FieldError = {
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

interface Checks {
  whole: Prepared;
  /** For values with texts that are too long for a pattern. Made when it is needed. */
  untested?: Prepared;
}

const known = new WeakMap<object, Checks>();

/** What is wrong with a value; empty if it is valid. `schema` comes from `checkForeignSchema`. */
export function foreignErrors(schema: object, value: unknown): FieldError[] {
  const judged = verdict(schema, value);
  if (judged === undefined) return [TOO_COMPLEX];
  return judged.isValid ? [] : explained(schema, judged.by, value);
}

/** Whether a value is valid, with integers of any length as `parseJson` reads them. Not if finding out takes too long. */
export function fitsForeign(schema: object, value: unknown): boolean {
  const converted = withSchemasOf(schema, (schemas) => ({ value: withLongIntegers(schemas, value) }));
  return converted !== undefined && verdict(schema, withDoubles(converted.value))?.isValid === true;
}

/** The result of a walk through a value, with the schemas of its parts; undefined if that takes too long, or too many levels. */
export function withSchemasOf<T>(schema: object, walk: (schemas: Applicable) => T): T | undefined {
  return unlessTooComplex(() => walk(new Applicable(schema as Node, new Steps(MOST_STEPS))));
}

/** Whether a value is valid, and by which check; undefined if finding out takes too long. */
function verdict(schema: object, value: unknown): { isValid: boolean; by: Prepared } | undefined {
  return unlessTooComplex(() => {
    const checks = checksOf(schema);
    if (isValidBy(checks.whole, value)) return { isValid: true, by: checks.whole };
    if (!checks.whole.steps.hasUntested) return { isValid: false, by: checks.whole };
    // A pattern that was not tested passed, and a `not` or the like may have refused the value for it.
    checks.untested ??= preparedFrom(forUntestedPatterns(schema as Node));
    return { isValid: isValidBy(checks.untested, value), by: checks.untested };
  });
}

function isValidBy({ check, steps, timesLonger }: Prepared, value: unknown): boolean {
  steps.start(MOST_STEPS / timesLonger);
  return check.Check(value);
}

function explained(schema: object, { check, steps, timesLonger }: Prepared, value: unknown): FieldError[] {
  const { maxErrors } = Settings.Get();
  // Of many alternatives, the last may be the one that was meant.
  Settings.Set({ maxErrors: MOST_VIOLATIONS });
  try {
    for (const most of MOST_ENTRIES) {
      const excerpt = excerptOf(value, most);
      const violations = unlessTooComplex(() => {
        steps.start(MOST_STEPS_FOR_ERRORS / timesLonger);
        return check.Errors(excerpt)[1];
      });
      const errors = violations === undefined ? [] : fieldErrorsOf(schema, excerpt, violations);
      if (errors.length > 0) return errors;
    }
    return [UNKNOWN];
  } finally {
    Settings.Set({ maxErrors });
  }
}

/** The result of the work; undefined if it takes more steps, or more levels than the stack has. */
function unlessTooComplex<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof TooComplex || error instanceof RangeError) return undefined;
    throw error;
  }
}

function checksOf(schema: object): Checks {
  const found = known.get(schema);
  if (found !== undefined) return found;
  // Again, because an earlier version may have stored what this one does not use.
  const made = { whole: preparedFrom(cleaned(schema as Node).result) };
  known.set(schema, made);
  return made;
}

function preparedFrom(schema: Node): Prepared {
  const steps = new Steps();
  const timesLonger = COLLECTS.test(JSON.stringify(schema)) ? TIMES_LONGER : 1;
  return { check: Compile(guarded(schema, steps)), steps, timesLonger };
}
