// Evaluates criteria on records. Fields and types are checked once, before any record.
import { type Kind, timeOf, type Value } from "../world/fields";
import { type Comparison, type Criteria, type Literal, parseCriteria } from "./parse";
import { CriteriaError } from "./tokens";

/** The types that a field can be compared with. */
type Comparable = "text" | "number" | "id" | "boolean" | "date" | "list";
type Read = (field: string) => Value | undefined;

const COMPARABLE: Readonly<Record<Kind, Comparable>> = {
  text: "text",
  email: "text",
  number: "number",
  decimal: "number",
  checkbox: "boolean",
  date: "date",
  choices: "list",
  lookup: "id",
  formula: "text",
};
const SYSTEM: Readonly<Record<string, Comparable>> = {
  ID: "id",
  Added_Time: "date",
  Modified_Time: "date",
  Added_User: "text",
  Modified_User: "text",
};

/**
 * A predicate for records. `kindOf` returns the types of the form's own fields; system fields are built in.
 * Throws `CriteriaError` for syntax errors, unknown fields and values of another type.
 */
export function matcher(text: string, kindOf: (field: string) => Kind | undefined): (read: Read) => boolean {
  return compile(parseCriteria(text), (field) => {
    const kind = kindOf(field);
    const comparable = SYSTEM[field] ?? (kind === undefined ? undefined : COMPARABLE[kind]);
    if (comparable === undefined) throw new CriteriaError(`There is no field ${field}.`);
    return comparable;
  });
}

function compile(criteria: Criteria, typeOf: (field: string) => Comparable): (read: Read) => boolean {
  switch (criteria.op) {
    case "or":
    case "and": {
      const left = compile(criteria.left, typeOf);
      const right = compile(criteria.right, typeOf);
      return criteria.op === "or" ? (read) => left(read) || right(read) : (read) => left(read) && right(read);
    }
    case "not": {
      const inner = compile(criteria.of, typeOf);
      return (read) => !inner(read);
    }
    case "test":
      return textTest(criteria, typeOf(criteria.field));
    case "compare":
      return comparison(criteria.field, criteria.sign, criteria.literal, typeOf(criteria.field));
  }
}

function textTest(
  { field, test, text }: Extract<Criteria, { op: "test" }>,
  type: Comparable,
): (read: Read) => boolean {
  if (type !== "text" && type !== "list") throw new CriteriaError(`${field} is not a text.`);
  return (read) => {
    const value = read(field) ?? "";
    const texts = typeof value === "string" ? [value] : value;
    if (test === "contains") return texts.some((item) => item.includes(text));
    return texts.some((item) => (test === "startsWith" ? item.startsWith(text) : item.endsWith(text)));
  };
}

function comparison(
  field: string,
  sign: Comparison,
  literal: Literal,
  type: Comparable,
): (read: Read) => boolean {
  if (literal.kind === "null") return nullTest(field, sign);
  if (type === "list") return listTest(field, sign, literal);
  const wanted = comparableOf(literal, type, field);
  return (read) => {
    const value = read(field);
    if (value === undefined || typeof value !== "string" || value === "") return sign === "!=";
    return holds(sign, valueOf(value, type), wanted);
  };
}

function nullTest(field: string, sign: Comparison): (read: Read) => boolean {
  if (sign !== "==" && sign !== "!=") throw new CriteriaError("null has no order.");
  return (read) => ((read(field) ?? "").length === 0) === (sign === "==");
}

/** Whether the record has the compared value. */
function listTest(field: string, sign: Comparison, literal: Literal): (read: Read) => boolean {
  if (literal.kind !== "text" || (sign !== "==" && sign !== "!=")) {
    throw new CriteriaError(`${field} holds several texts.`);
  }
  return (read) => {
    const value = read(field) ?? [];
    return value.includes(literal.text) === (sign === "==");
  };
}

function comparableOf(
  literal: Exclude<Literal, { kind: "null" }>,
  type: Comparable,
  field: string,
): string | number | bigint {
  const wanted = type === "id" ? "number" : type;
  if (literal.kind !== wanted) throw new CriteriaError(`${field} is compared with a value of another type.`);
  if (type === "id" && !/^\d+$/.test(literal.text))
    throw new CriteriaError(`${field} is compared with no id.`);
  if (type === "date" && timeOf(literal.text) === undefined)
    throw new CriteriaError("The date has another form.");
  return valueOf(literal.text, type);
}

function valueOf(text: string, type: Comparable): string | number | bigint {
  if (type === "id") return BigInt(text);
  if (type === "number") return Number(text);
  return type === "date" ? (timeOf(text) ?? Number.NaN) : text;
}

function holds(sign: Comparison, left: string | number | bigint, right: string | number | bigint): boolean {
  switch (sign) {
    case "==":
      return left === right;
    case "!=":
      return left !== right;
    case "<":
      return left < right;
    case "<=":
      return left <= right;
    case ">":
      return left > right;
    case ">=":
      return left >= right;
  }
}
