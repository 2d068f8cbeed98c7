// Records in the platform's form, selected by criteria.
import { matcher } from "../criteria/evaluate";
import { CriteriaError } from "../criteria/tokens";
import { dateTimeText, type Value } from "../world/fields";
import type { Application, Form } from "../world/model";
import type { Row, Table } from "../world/table";
import type { Call, Members } from "./call";
import { Refusal } from "./refusal";

/** The records that match; all without criteria. Throws 400/3090 for criteria that cannot be understood. */
export function matching(table: Table, form: Form, criteria: string | undefined): Row[] {
  if (criteria === undefined) return [...table.rows];
  try {
    const matches = matcher(criteria, (name) => form.fields.find(({ link }) => link === name)?.kind);
    return table.rows.filter((row) => matches((field) => valueIn(row, field)));
  } catch (error) {
    if (error instanceof CriteriaError) throw new Refusal(400, 3090, error.message);
    throw error;
  }
}

/** Numbers and checkboxes are text here, lists one text, lookups an object; `ID` is text. */
export function shown(
  call: Call,
  application: Application,
  form: Form,
  row: Row,
  columns: readonly string[],
): Members {
  const members: Members = { ID: row.id };
  for (const column of columns) {
    const field = form.fields.find(({ link }) => link === column);
    const value = valueIn(row, column) ?? "";
    if (field?.kind === "lookup" && typeof value === "string" && value !== "") {
      const target = call.world.table(application, field.target ?? "").find(value);
      const name = target?.values["Name"];
      members[column] = { ID: value, display_value: typeof name === "string" ? name : "" };
    } else {
      members[column] = typeof value === "string" ? value : value.join(",");
    }
  }
  return members;
}

function valueIn(row: Row, field: string): Value | undefined {
  switch (field) {
    case "ID":
      return row.id;
    case "Added_Time":
      return dateTimeText(row.addedAt);
    case "Modified_Time":
      return dateTimeText(row.modifiedAt);
    case "Added_User":
      return row.addedBy;
    case "Modified_User":
      return row.modifiedBy;
    case "Label":
      return `${String(row.values["SKU"] ?? "")} ${String(row.values["Name"] ?? "")}`.trim();
    default:
      return row.values[field];
  }
}
