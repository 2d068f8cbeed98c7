// Turns a tool as an MCP server lists it into one of the stored catalog.
import { isObject, type JsonObject } from "../../base";
import { headerFault } from "../../mcp";
import { checkForeignSchema, cleanDescription } from "../foreign";
import type { WorkerTool } from "../tool";
import { plainMetadata, unmetNeeds } from "./hints";

const LONGEST_NAME = 128;
/** Characters of what a tool says besides its schemas. */
const MOST_MEMBERS = 65_536;
/** Members with their own place in the catalog. */
const OWN_PLACE = new Set(["name", "description", "inputSchema", "outputSchema"]);

export type Note = (reason: string) => void;

/** The name by which the server knows a tool; undefined if it is not valid. */
export function upstreamName(item: unknown): string | undefined {
  const name = isObject(item) ? item["name"] : undefined;
  return typeof name === "string" && name !== "" && name.length <= LONGEST_NAME ? name : undefined;
}

/**
 * The tool, or the reason why it cannot be offered. `note` gets what was left out of it.
 *
 * @param modern revision 2026-07-28: parameters may be repeated in headers
 */
export function toolFrom(
  item: { [key: string]: unknown },
  { name, upstream, modern }: { name: string; upstream: string; modern: boolean },
  note: Note,
): WorkerTool | string {
  const { inputSchema = {}, outputSchema, description } = item;
  const fault = modern ? headerFault(inputSchema) : undefined;
  if (fault !== undefined) return `its input schema is not valid: ${fault}`;
  const input = checkForeignSchema(inputSchema, "object");
  if ("reason" in input) return `its input schema cannot be used: ${input.reason}`;
  for (const dropped of input.dropped) note(`left out of its input schema: ${dropped}`);
  const output = outputOf(outputSchema, note);
  for (const need of unmetNeeds(item["_meta"]))
    note(`it says that it needs ${need}, which an MCP worker does not get; an HTTP worker can`);
  return {
    upstream,
    name,
    description: typeof description === "string" ? cleanDescription(description) : "",
    input: input.schema,
    ...(output === undefined ? {} : { output }),
    metadata: plainMetadata(item["_meta"]),
    original: originalOf(item, input.schema, output, note),
  };
}

/** A schema that cannot be used is left out: the tool can do its work without. */
function outputOf(schema: unknown, note: Note): JsonObject | undefined {
  if (schema === undefined || schema === null) return undefined;
  const output = checkForeignSchema(schema, "any");
  if ("reason" in output) {
    note(`its output schema cannot be used: ${output.reason}`);
    return undefined;
  }
  for (const dropped of output.dropped) note(`left out of its output schema: ${dropped}`);
  return output.schema;
}

/** The members as the server sent them, for clients of gateways. */
function originalOf(
  item: { [key: string]: unknown },
  input: JsonObject,
  output: JsonObject | undefined,
  note: Note,
): JsonObject {
  const members: JsonObject = {};
  for (const [name, value] of Object.entries(item)) {
    // It was parsed from JSON. Assigning `__proto__` would set the prototype.
    if (!OWN_PLACE.has(name) && name !== "__proto__") members[name] = value as JsonObject;
  }
  const kept = JSON.stringify(members).length <= MOST_MEMBERS ? members : smaller(members, note);
  const { title, annotations } = kept;
  if (typeof title === "string") kept["title"] = cleanDescription(title);
  if (isObject(annotations) && typeof annotations["title"] === "string")
    kept["annotations"] = { ...annotations, title: cleanDescription(annotations["title"]) } as JsonObject;
  return {
    ...kept,
    ...different("inputSchema", item["inputSchema"], input),
    ...(output === undefined ? {} : different("outputSchema", item["outputSchema"], output)),
  };
}

function smaller({ title, annotations }: JsonObject, note: Note): JsonObject {
  note(`icons, _meta and other members were left out: they have more than ${MOST_MEMBERS} characters`);
  const both = {
    ...(title === undefined ? {} : { title }),
    ...(annotations === undefined ? {} : { annotations }),
  };
  return JSON.stringify(both).length <= MOST_MEMBERS ? both : {};
}

/** A schema as it was sent, if the checked one is another. */
function different(name: string, sent: unknown, checked: JsonObject): JsonObject {
  if (!isObject(sent) || JSON.stringify(sent) === JSON.stringify(checked)) return {};
  return { [name]: sent as JsonObject };
}
