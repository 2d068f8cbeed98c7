// What a tool returns, in words: listings have no place for the schema itself. The `mcp` format has it.
import { isObject } from "../base";

/** Nested fields below this level are left to the schema. */
const DEEPEST = 3;
/** Longer texts are cut: listings have many tools. */
const LONGEST = 2000;

/** Undefined if the schema says nothing. */
export function resultText(output: unknown): string | undefined {
  if (!isObject(output) || (output["type"] ?? output["anyOf"]) === undefined) return undefined;
  const text = `${capitalized(kindOf(output))}${describedBy(output)}${fieldsIn(output, 1)}`;
  const whole = /[.…]$/.test(text) ? text : `${text}.`;
  return whole.length > LONGEST ? `${whole.slice(0, LONGEST)}…` : whole;
}

function fieldsIn(schema: { readonly [key: string]: unknown }, level: number): string {
  const inner = schema["type"] === "array" ? schema["items"] : schema;
  const properties = isObject(inner) ? inner["properties"] : undefined;
  if (!isObject(inner) || !isObject(properties) || level > DEEPEST) return "";
  const required = Array.isArray(inner["required"]) ? inner["required"] : [];
  const fields = Object.entries(properties).map(([name, field]) => {
    const optional = required.includes(name) ? "" : ", optional";
    const more = isObject(field) ? `${describedBy(field)}${fieldsIn(field, level + 1)}` : "";
    return `\`${name}\` (${kindOf(field)}${optional})${more}`;
  });
  return fields.length === 0 ? "" : ` {${fields.join("; ")}}`;
}

function kindOf(schema: unknown): string {
  if (!isObject(schema)) return "any value";
  const { type, anyOf, const: only, enum: values, items } = schema;
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(" or ");
  if (Array.isArray(anyOf)) return [...new Set(anyOf.map(kindOf))].join(" or ");
  if (type === "array") return `list of ${kindOf(items)}`;
  return typeof type === "string" ? type : "any value";
}

function describedBy(schema: { readonly [key: string]: unknown }): string {
  const { description } = schema;
  return typeof description === "string" ? `: ${description}` : "";
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
