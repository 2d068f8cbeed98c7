// Text from flags and the environment → values of the declared type. Values from the file come typed and are only
// checked. Every refusal is one sentence: where, key, rule. The value itself is not repeated, it may be a secret.
import { Check } from "typebox/schema";
import { isObject } from "../base";
import { configurationError } from "../errors";
import type { SettingDeclaration } from "./keys";

/** A declaration with its name. */
export interface NamedSetting extends SettingDeclaration {
  name: string;
}

/** A value with the place that it comes from. */
export interface Sourced {
  value: unknown;
  origin: string;
}

/** Reads the text of a flag or variable by the key's declared type: integers, lists by comma, the rest as is. */
export function fromText(setting: NamedSetting, text: string, origin: string): unknown {
  const { schema } = setting;
  const type = "type" in schema ? schema.type : undefined;
  if (type === "integer") return /^-?\d{1,15}$/.test(text) ? Number(text) : refuse(setting, origin);
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : refuse(setting, origin);
  if (type === "array" && holdsObjects(schema)) return fromJson(setting, text, origin);
  if (type === "array") {
    return text
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== "");
  }
  return text;
}

function holdsObjects(schema: object): boolean {
  return "items" in schema && isObject(schema.items) && schema.items["type"] === "object";
}

// A list of objects has no other form in one line.
function fromJson(setting: NamedSetting, text: string, origin: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return refuse(setting, origin);
  }
}

/** Throws `configuration` when the value breaks the key's rule. */
export function checkValue(setting: NamedSetting, value: unknown, origin: string): void {
  // Records say themselves which field of which record is wrong.
  if (setting.records && Array.isArray(value)) return;
  // Compiled it would be faster the second time, and there is none.
  if (!Check(setting.schema, value)) refuse(setting, origin);
}

function refuse({ name, schema }: NamedSetting, origin: string): never {
  const place = origin.replace(/^(file|environment|flag) /, "");
  const rule = "description" in schema ? String(schema.description) : "of the declared type";
  throw configurationError(`${place}: "${name}" must be ${rule}.`);
}
