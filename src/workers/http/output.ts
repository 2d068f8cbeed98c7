// What a tool returns: the modes that it declares, the type of its value, and artifacts, which are a value of their own.
import { isObject, type Json, type JsonObject, present } from "../../base";
import { checkForeignSchema, cleanDescription } from "../foreign";
import type { WorkerTool } from "../tool";
import { type Note, resultSchemaOf, texts } from "./value-schema";

/** How a result can arrive, as listings name it. */
const MODES = ["value", "error", "null", "artifact", "requires_authorization"];
/** Those of a tool that declares none. Listings show them without being told. */
const DEFAULT_MODES = ["value", "error"];

/** A result that is a file at an address, which the value of the run describes. */
const ARTIFACT: JsonObject = {
  type: "object",
  properties: {
    url: { type: "string", description: "Where it is." },
    content_type: { type: ["string", "null"] },
    size: { type: ["integer", "null"], description: "Bytes." },
    meta: { type: ["object", "null"], properties: { description: { type: ["string", "null"] } } },
  },
  required: ["url"],
};

/** The tool can be used without a description of its output. */
export function declaredOutput(given: unknown, note: Note): Pick<WorkerTool, "output" | "modes"> {
  if (!isObject(given)) return {};
  const declared = texts(given["available_modes"]);
  const known = MODES.filter((mode) => declared.includes(mode));
  const modes = known.length === 0 || Bun.deepEquals(known, DEFAULT_MODES) ? undefined : known;
  const schema = schemaFrom(given, declared, note);
  if (schema === undefined) return present({ modes });
  const checked = checkForeignSchema(schema, "any");
  if ("reason" in checked) {
    note(`the type of its output is left out: ${checked.reason}`);
    return present({ modes });
  }
  for (const dropped of checked.dropped) note(`output: ${dropped}`);
  return { output: checked.schema, ...present({ modes }) };
}

/** Undefined: any value. */
function schemaFrom(
  { value_schema, description }: { [key: string]: unknown },
  modes: readonly string[],
  note: Note,
): JsonObject | undefined {
  // Without modes: every mode. A result of nothing arrives as an empty text.
  const mayBeNull = modes.length === 0 || modes.includes("null");
  const value = isObject(value_schema) ? resultSchemaOf(value_schema, mayBeNull, note) : undefined;
  const schema = modes.includes("artifact") ? withArtifact(value, modes) : value;
  const text = typeof description === "string" ? cleanDescription(description) : "";
  return schema === undefined || text === "" ? schema : { ...schema, description: text };
}

function withArtifact(value: JsonObject | undefined, modes: readonly string[]): JsonObject | undefined {
  if (value !== undefined) return { anyOf: [value, ARTIFACT] };
  return modes.includes("value") || modes.includes("null") ? undefined : ARTIFACT;
}

/** The value of an output that is an artifact, or why it is none. Absent members and null are the same. */
export function artifactValue(artifact: JsonObject): { value: Json } | { problem: string } {
  const { url } = artifact;
  if (typeof url !== "string" || url.trim() === "") return { problem: "an artifact without a url" };
  return { value: Object.fromEntries(Object.entries(artifact).filter(([, member]) => member !== null)) };
}
