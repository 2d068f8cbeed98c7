// Reads the definition of one tool. Fields that are not needed may be absent or `null`, as in older workers.
import { isObject, type JsonObject, present } from "../../base";
import { checkForeignSchema, cleanDescription, toolNameOf } from "../foreign";
import type { WorkerTool } from "../tool";
import { metadataFrom } from "./behaviour";
import { declaredOutput } from "./output";
import { requirementsFrom } from "./requirements";
import { jsonSchemaOf, type Note } from "./value-schema";

const TOOLKIT = /^[A-Za-z][A-Za-z0-9_]{0,99}$/;
const VERSION = /^[\w.+-]{1,100}$/;

/** How a tool is called in reports about the catalog. */
export function shownName(given: unknown): string {
  const { name, toolkit } = isObject(given) ? given : {};
  const parts = [isObject(toolkit) ? toolkit["name"] : undefined, name];
  const known = parts.filter((part) => typeof part === "string" && /^[\w.-]{1,128}$/.test(part));
  return known.length === 0 ? "a tool without a name" : known.join(".");
}

/** The tool, or the reason why it cannot be offered. `note` gets what is left out of it. */
export function toolFrom(given: unknown, note: Note): WorkerTool | string {
  if (!isObject(given)) return "its definition is not an object";
  const { name: upstream, description, deprecation_message: deprecation } = given;
  const name = typeof upstream === "string" ? toolNameOf(upstream) : undefined;
  if (typeof upstream !== "string" || name === undefined) return "its name does not have 1 to 128 characters";
  const toolkit = toolkitFrom(given["toolkit"]);
  if (typeof toolkit === "string") return toolkit;
  const input = inputFrom(given["input"], note);
  if (typeof input === "string") return input;
  // Other definitions of tools have them here.
  if ([given["authorization"], given["secrets"]].some((part) => part !== undefined && part !== null))
    return "it names an authorization or secrets outside of its requirements";
  const requirements = requirementsFrom(given["requirements"], note);
  if (typeof requirements === "string") return requirements;
  return {
    upstream,
    ...(toolkit === undefined ? {} : { toolkit }),
    name,
    description: cleanText(description) ?? "",
    ...input,
    ...declaredOutput(given["output"], note),
    metadata: metadataFrom(given["metadata"]),
    ...requirements,
    ...present({ deprecation: cleanText(deprecation) }),
  };
}

function cleanText(value: unknown): string | undefined {
  const text = typeof value === "string" ? cleanDescription(value) : "";
  return text === "" ? undefined : text;
}

function toolkitFrom(given: unknown): WorkerTool["toolkit"] | string {
  if (!isObject(given)) return undefined;
  const { name, description, version } = given;
  if (typeof name !== "string" || !TOOLKIT.test(name))
    return "the name of its toolkit is not made of letters, digits and underscores";
  if (typeof version === "string" && !VERSION.test(version))
    return "the version of its toolkit has other characters than letters, digits, points, + and -";
  return {
    name,
    ...present({ description: cleanText(description) }),
    ...(typeof version === "string" ? { version } : {}),
  };
}

/** A closed list of parameters, as the worker checks it. */
function inputFrom(given: unknown, note: Note): Pick<WorkerTool, "input" | "notInferrable"> | string {
  const list: unknown = isObject(given) ? (given["parameters"] ?? []) : (given ?? []);
  if (!Array.isArray(list) || list === given) return "its parameters are not a list";
  const properties = new Map<string, JsonObject>();
  const required: string[] = [];
  const notInferrable: string[] = [];
  for (const parameter of list as unknown[]) {
    const name = isObject(parameter) ? parameter["name"] : undefined;
    if (!isObject(parameter) || typeof name !== "string" || name === "")
      return "it has a parameter without a name";
    if (properties.has(name)) return "it has two parameters with the same name";
    if (![parameter["required"], parameter["inferrable"]].every(isFlag))
      return "it has a parameter whose required or inferrable is neither true nor false";
    properties.set(name, parameterSchema(name, parameter, note));
    if (parameter["required"] === true) required.push(name);
    if (parameter["inferrable"] === false) notInferrable.push(name);
  }
  const checked = checkForeignSchema({
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  });
  if ("reason" in checked) return `its parameters cannot be checked: ${checked.reason}`;
  for (const dropped of checked.dropped) note(`parameters: ${dropped}`);
  return { input: checked.schema, ...(notInferrable.length === 0 ? {} : { notInferrable }) };
}

function isFlag(value: unknown): boolean {
  return value === undefined || value === null || typeof value === "boolean";
}

function parameterSchema(name: string, given: { [key: string]: unknown }, note: Note): JsonObject {
  const schema = jsonSchemaOf(given["value_schema"], `parameter ${name}`, note);
  return { ...schema, ...present({ description: cleanText(given["description"]) }) };
}
