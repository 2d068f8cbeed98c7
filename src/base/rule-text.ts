// One sentence for all violations of one field: a closed list with its values, alternatives with their types.
import { closedList } from "./closed-list";

/** A violation as the validator reports it. */
export interface Violation {
  keyword: string;
  instancePath: string;
  message: string;
  params: object;
}

/** The keyword and the text for the violations of one value, at least one. `value`: the refused value. */
export function ruleOf(violations: readonly Violation[], value: unknown): { rule: string; message: string } {
  const listed = violations.filter(({ keyword }) => keyword === "enum" || keyword === "const");
  if (listed.length > 0) {
    const values = [...new Set(listed.flatMap(allowedBy))];
    // Alternatives to the list: "or null".
    const others = typesIn(violations).filter((type) => !values.some((each) => isOfType(each, type)));
    const rest = others.map((type) => ` or ${type}`).join("");
    return { rule: listed[0]?.keyword ?? "enum", message: `${closedList(values, value)}${rest}` };
  }
  const types = typesIn(violations);
  if (types.length > 0) {
    return { rule: "type", message: `must be ${types.join(" or ")}` };
  }
  const [first] = violations;
  if (first?.keyword === "minLength" && value === "")
    return { rule: first.keyword, message: "must not be empty" };
  return { rule: first?.keyword ?? "schema", message: first?.message ?? "has the wrong form" };
}

/** The value at a path of the validator (RFC 6901). */
export function valueAt(value: unknown, instancePath: string): unknown {
  let at = value;
  for (const key of instancePath.split("/").slice(1)) {
    if (typeof at !== "object" || at === null) return undefined;
    const name = key.replaceAll("~1", "/").replaceAll("~0", "~");
    at = Object.hasOwn(at, name) ? Reflect.get(at, name) : undefined;
  }
  return at;
}

function typesIn(violations: readonly Violation[]): string[] {
  const types = violations.flatMap(({ keyword, params }) =>
    keyword === "type" && "type" in params ? [params.type].flat().map(String) : [],
  );
  return [...new Set(types)];
}

function allowedBy({ params }: Violation): unknown[] {
  if ("allowedValues" in params && Array.isArray(params.allowedValues)) return params.allowedValues;
  return "allowedValue" in params ? [params.allowedValue] : [];
}

function isOfType(value: unknown, type: string): boolean {
  if (type === "integer" || type === "number") return typeof value === "number";
  return type === "null" ? value === null : typeof value === type;
}
