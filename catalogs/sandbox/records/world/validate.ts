// New values of a record: converted, or refused field by field.
import { Digits, type Wire, type WireObject } from "../exact-json";
import { type Field, timeOf, type Value, type Values } from "./fields";
import type { Form } from "./model";
import type { Table } from "./table";

/** 3001: the form's script objects. 3002: fields break their rules. */
export type Refused =
  | { readonly code: 3001; readonly error: string[] }
  | { readonly code: 3002; readonly error: Record<string, string> };

export interface Surroundings {
  readonly table: Table;
  /** Records of another form of the application, for lookups. */
  readonly tableOf: (form: string) => Table;
}

/**
 * The whole changed record. Rules are checked on all fields, so a change of one field can be refused because of
 * another.
 */
export function validated(
  form: Form,
  given: WireObject,
  before: { readonly id: string; readonly values: Values } | undefined,
  { table, tableOf }: Surroundings,
): { readonly values: Values } | Refused {
  const values: Record<string, Value> = { ...before?.values };
  const error: Record<string, string> = {};
  for (const [name, wire] of Object.entries(given)) {
    const field = form.fields.find(({ link }) => link === name);
    const value = field === undefined ? undefined : valueOf(field, wire, tableOf);
    if (field === undefined) error[name] = "There is no field of this name.";
    else if (value === undefined) error[name] = `This value does not fit a field of kind ${field.kind}.`;
    else values[name] = value;
  }
  for (const field of form.fields) {
    const value = values[field.link] ?? "";
    if (field.mandatory && value.length === 0) error[field.link] ??= "This field needs a value.";
    if (field.unique && typeof value === "string" && value !== "") {
      if (table.hasOther(field.link, value, before?.id)) error[field.link] ??= "This value exists already.";
    }
  }
  if (Object.keys(error).length > 0) return { code: 3002, error };
  const objections = form.script?.(values) ?? [];
  return objections.length > 0 ? { code: 3001, error: objections } : { values };
}

/** Undefined for a value of the wrong type. `null` and empty text clear a field. */
function valueOf(field: Field, wire: Wire, tableOf: (form: string) => Table): Value | undefined {
  if (wire === null || wire === "") return field.kind === "formula" ? undefined : "";
  switch (field.kind) {
    case "text":
      return text(wire, field.maxChar ?? 255);
    case "email":
      return typeof wire === "string" && /^\S+@\S+$/.test(wire) ? wire : undefined;
    case "number":
      return digits(wire, /^-?\d{1,19}$/);
    case "decimal":
      return digits(wire, /^-?\d+(\.\d+)?$/);
    case "checkbox":
      return wire === true || wire === "true"
        ? "true"
        : wire === false || wire === "false"
          ? "false"
          : undefined;
    case "date":
      return typeof wire === "string" && timeOf(wire) !== undefined ? wire : undefined;
    case "choices":
      return choices(field, wire);
    case "lookup": {
      // A bare number keeps its exact digits: ids are longer than a JavaScript number.
      const id = digits(wire, /^\d+$/);
      return id !== undefined && tableOf(field.target ?? "").find(id) !== undefined ? id : undefined;
    }
    case "formula":
      return undefined;
  }
}

function text(wire: Wire, maxChar: number): string | undefined {
  return typeof wire === "string" && Array.from(wire).length <= maxChar ? wire : undefined;
}

function digits(wire: Wire, form: RegExp): string | undefined {
  const written = wire instanceof Digits ? wire.text : wire;
  return typeof written === "string" && form.test(written) ? written : undefined;
}

function choices(field: Field, wire: Wire): string[] | undefined {
  if (!Array.isArray(wire)) return undefined;
  const chosen = wire.filter((item) => typeof item === "string");
  const known = chosen.every((item) => field.choices?.includes(item) === true);
  return chosen.length === wire.length && known ? chosen : undefined;
}
