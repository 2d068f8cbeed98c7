// `runtime tools exec NAME --help`: the help of the command, then the parameters of the tool.
import { isObject } from "../src/base/json";
import { isUnknownRecord, RuntimeError } from "../src/errors";
import type { ToolRecord } from "../src/tools";
import { withClient } from "./client/client";
import { getTool } from "./client/tools";
import type { Common } from "./command";
import type { Io } from "./io";
import { printable } from "./printable";
import { type Column, tableOf } from "./table";

/** Prints `text`, the help of the command, and the parameters. Throws `tool_not_found` before it prints anything. */
export async function printToolHelp(io: Io, common: Common, text: string, name: string): Promise<void> {
  let tool: ToolRecord;
  try {
    tool = await withClient(io, common, (client) => getTool(client, name, { include_format: ["mcp"] }));
  } catch (error) {
    if (!(error instanceof RuntimeError) || isUnknownRecord(error)) throw error;
    io.out(text);
    return io.note(`The parameters of the tool cannot be shown: ${printable(error.message)}`);
  }
  const rows = rowsOf(tool);
  const parameters =
    rows.length === 0
      ? "It takes no parameters.\n"
      : tableOf(rows, COLUMNS, { paint: io.paint, width: io.columns });
  io.out(`${text}\nParameters of ${printable(tool.qualified_name)}:\n\n${parameters}`);
}

interface Row {
  name: string;
  type: string;
  required: boolean;
  default: string | undefined;
  meaning: string;
}

const COLUMNS: readonly Column<Row>[] = [
  { title: "parameter", keep: "always", value: ({ name }) => `--${name}` },
  { title: "type", value: ({ type }) => type },
  { title: "required", value: ({ required }) => (required ? "yes" : "") },
  { title: "default", value: (row) => row.default },
  { title: "meaning", value: ({ meaning }) => meaning, wraps: true },
];

function rowsOf({ input, formatted_schema = {} }: ToolRecord): Row[] {
  return input.parameters.map(({ name, required, description = "", value_schema }) => {
    const { val_type, inner_val_type, enum: allowed = [] } = value_schema;
    const schema = schemaOf(formatted_schema, name);
    return {
      name,
      type: inner_val_type === undefined ? val_type : `${val_type} of ${inner_val_type}`,
      required,
      default: schema["default"] === undefined ? undefined : shortened(JSON.stringify(schema["default"])),
      meaning: [
        ...(allowed.length === 0 ? [] : [listOf(allowed)]),
        ...limitsOf(schema),
        ...fieldsOf(schema),
        description,
      ].join(" "),
    };
  });
}

/** Tools of workers may have long lists. */
const MOST_VALUES = 50;
const LONGEST_DEFAULT = 100;

function listOf(allowed: readonly string[]): string {
  const more = allowed.length > MOST_VALUES ? ` and ${allowed.length - MOST_VALUES} more` : "";
  return `One of: ${allowed.slice(0, MOST_VALUES).join(", ")}${more}.`;
}

function shortened(text: string): string {
  return text.length > LONGEST_DEFAULT ? `${text.slice(0, LONGEST_DEFAULT)}…` : text;
}

/** What an object is made of; its value is JSON. */
function fieldsOf({ type, properties, required }: { [key: string]: unknown }): string[] {
  const names = isObject(properties) ? Object.keys(properties) : [];
  if (type !== "object" || names.length === 0) return [];
  const needed = Array.isArray(required) ? required : [];
  const shown = names.slice(0, MOST_VALUES).map((name) => (needed.includes(name) ? name : `${name}?`));
  return [`JSON with ${shown.join(", ")}${names.length > MOST_VALUES ? ", …" : ""}.`];
}

function limitsOf({ minimum, maximum }: { [key: string]: unknown }): string[] {
  if (minimum !== undefined && maximum !== undefined)
    return [`From ${String(minimum)} to ${String(maximum)}.`];
  if (minimum !== undefined) return [`At least ${String(minimum)}.`];
  return maximum === undefined ? [] : [`At most ${String(maximum)}.`];
}

// The record describes only types; the schema for MCP has the defaults and the limits too.
function schemaOf(formats: { [format: string]: unknown }, name: string): { [key: string]: unknown } {
  const root = member(member(formats, "mcp"), "inputSchema");
  const own = member(member(root, "properties"), name);
  return { ...targetIn(root, own["$ref"]), ...own };
}

function targetIn(root: { [key: string]: unknown }, reference: unknown): { [key: string]: unknown } {
  if (typeof reference !== "string") return {};
  const steps = decodeURI(reference).split("/").slice(1);
  return steps.reduce((inner, step) => member(inner, step.replaceAll("~1", "/").replaceAll("~0", "~")), root);
}

function member(value: { [key: string]: unknown }, key: string): { [key: string]: unknown } {
  const found = Object.hasOwn(value, key) ? value[key] : undefined;
  return isObject(found) ? found : {};
}
