// One sentence for each field that breaks a schema from outside. Repeats names and values of the schema, never those of the
// input, which may be secrets.
import type { FieldError } from "../errors";
import { isObject, nearestOf, ruleOf, valueAt, type Violation } from "../base";
import { bestAlternatives, type ForeignViolation, MISSING_CHOICE } from "./alternatives";
import { namesIn, schemasAt } from "./places";
import { SpendingPattern } from "./spending-pattern";

const MOST_ERRORS = 20;
const LONGEST_MESSAGE = 500;

/** What these say only repeats what others say. */
const EMPTY = ["boolean", "anyOf", "if"];

export function fieldErrorsOf(
  schema: object,
  value: unknown,
  violations: readonly ForeignViolation[],
): FieldError[] {
  const names = allNamesIn(schema);
  const meant = withoutRepeats(bestAlternatives(violations));
  const byPath = Map.groupBy(meant, ({ instancePath }) => instancePath);
  const errors = [...byPath].flatMap(([path, here]) => errorsAt(path, here, { schema, value, names }));
  const specific = errors.filter(({ rule }) => !EMPTY.includes(rule));
  return (specific.length > 0 ? specific : errors).slice(0, MOST_ERRORS).map(({ field, rule, message }) => ({
    field: field.slice(0, LONGEST_MESSAGE),
    rule,
    message: message.slice(0, LONGEST_MESSAGE),
  }));
}

/** Without those that only say that a part is not valid, where another one says why. */
function withoutRepeats(violations: readonly ForeignViolation[]): ForeignViolation[] {
  const namesPaths = violations
    .filter(({ keyword }) => keyword === "propertyNames")
    .map(({ schemaPath }) => `${schemaPath}/propertyNames`);
  return violations.filter(({ keyword, schemaPath, instancePath }) => {
    // About a name, as if it were a value.
    if (namesPaths.some((path) => schemaPath.startsWith(path))) return false;
    if (keyword !== "additionalProperties") return true;
    const prefix = `${schemaPath}/additionalProperties`;
    const inside = violations.filter(
      (one) => one.schemaPath.startsWith(prefix) && one.instancePath !== instancePath,
    );
    return inside.every((one) => one.keyword === "boolean");
  });
}

interface Checked {
  schema: object;
  value: unknown;
  /** All names in the schema. */
  names: ReadonlySet<string>;
}

function errorsAt(path: string, violations: readonly ForeignViolation[], checked: Checked): FieldError[] {
  const steps = stepsOf(path);
  const field = steps.map((step) => (/^\d+$/.test(step) || checked.names.has(step) ? step : "*")).join(".");
  const missing = violations.flatMap(({ keyword, params }) =>
    keyword === "required" && "requiredProperties" in params ? [params.requiredProperties].flat() : [],
  );
  const conditional = violations.flatMap((one) => missingByCondition(one, steps, checked));
  const required = [...new Set([...missing, ...conditional].map(String))].map((name) => ({
    field: field === "" ? name : `${field}.${name}`,
    rule: "required",
    message: "is required",
  }));
  const others = violations.filter(({ keyword }) => keyword !== "required");
  const first = others.find(({ keyword }) => !EMPTY.includes(keyword)) ?? others[0];
  if (first === undefined) return required;
  const message = sentenceOf(first, steps, checked);
  const rule =
    message === undefined ? ruleOf(others, valueAt(checked.value, path)) : { rule: first.keyword, message };
  return [...required, { field, ...rule }];
}

/** What a condition requires, which the validator does not say. */
function missingByCondition(
  { keyword, params, instancePath }: ForeignViolation,
  steps: readonly string[],
  checked: Checked,
): unknown[] {
  if (keyword !== "if" || !("failingKeyword" in params)) return [];
  const failing = String(params.failingKeyword);
  const value = Object(valueAt(checked.value, instancePath));
  return schemasAt(checked.schema, steps)
    .flatMap((schema) => (isObject(schema["if"]) ? [schema[failing]] : []))
    .flatMap((part) => (isObject(part) && Array.isArray(part["required"]) ? part["required"] : []))
    .filter((name) => !Object.hasOwn(value, String(name)));
}

/** Sentences for keywords whose own say too little or too much. */
function sentenceOf(
  { keyword, params }: Violation,
  steps: readonly string[],
  { schema }: Checked,
): string | undefined {
  switch (keyword) {
    case "pattern":
      return "pattern" in params && params.pattern instanceof SpendingPattern
        ? `must match the pattern ${params.pattern.original}`
        : undefined;
    case "additionalProperties":
    case "unevaluatedProperties":
      return unknownMember(namesIn(schemasAt(schema, steps)), params);
    case "unevaluatedItems":
      return "has too many entries";
    case "propertyNames":
      return "has a member whose name is not allowed";
    case MISSING_CHOICE:
      return "choices" in params ? `must have ${String(params.choices)}` : undefined;
    case "oneOf":
      return "passingSchemas" in params &&
        Array.isArray(params.passingSchemas) &&
        params.passingSchemas.length > 1
        ? "matches several alternatives, and must match only one"
        : "matches none of the alternatives";
    case "anyOf":
      return "matches none of the alternatives";
    case "if":
      return "does not match a condition of the schema";
    case "not":
    case "boolean":
      return "has a value that is not allowed";
    default:
      return undefined;
  }
}

function unknownMember(known: readonly string[], params: object): string {
  const [given]: unknown[] = Object.values(params).find(Array.isArray) ?? [];
  const takes =
    known.length === 0
      ? "It takes none"
      : `It takes: ${known.slice(0, MOST_ERRORS).join(", ")}${nearestOf(known, given)}`;
  return `has a member that is not known. ${takes}`;
}

function stepsOf(path: string): string[] {
  return path
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Names of the input that are not in the schema are not repeated. */
function allNamesIn(schema: object): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) visit(each);
    else if (isObject(value)) {
      for (const [key, inner] of Object.entries(value)) {
        names.add(key);
        visit(inner);
      }
    }
  };
  visit(schema);
  return names;
}
