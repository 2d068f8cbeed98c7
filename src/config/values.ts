// Converts text of flags and the environment to the declared type and checks values. Errors never contain the value,
// which may be a secret.
import { Check } from "typebox/schema";
import { closedList, isObject, nearest } from "../base";
import { configurationError, RuntimeError, unknownRecord } from "../errors";
import { parseDatabaseUrl } from "./database-url";
import { settingError } from "./errors";
import { environmentName, type SettingDeclaration, type SettingDeclarations } from "./keys";

/** A declaration with its name. */
export interface NamedSetting extends SettingDeclaration {
  name: string;
}

export interface SettingValue {
  value: unknown;
  origin: string;
}

/** Converts text to the declared type. Lists are separated by commas; lists of objects are JSON. */
export function fromText(setting: NamedSetting, text: string, origin: string): unknown {
  const { schema } = setting;
  const type = "type" in schema ? schema.type : undefined;
  if (type !== undefined && type !== "string" && type !== "array" && text === "")
    refuse(setting, origin, text);
  if (type === "integer") return /^-?\d{1,15}$/.test(text) ? Number(text) : refuse(setting, origin);
  if (type === "number") return decimalOf(text) ?? refuse(setting, origin);
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : refuse(setting, origin);
  if (type === "array" && (setting.json === true || isObjectList(schema)))
    return fromJson(setting, text, origin);
  if (type === "array") {
    return text
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== "");
  }
  return text;
}

/** A decimal number without a sign, also as 1e-3; undefined for another text. */
export function decimalOf(text: string): number | undefined {
  const isNumber = /^(?:\d{1,9}(?:\.\d{0,17})?|\.\d{1,17})(?:e[+-]?\d{1,2})?$/i.test(text);
  return isNumber ? Number(text) : undefined;
}

function isObjectList(schema: object): boolean {
  return "items" in schema && isObject(schema.items) && schema.items["type"] === "object";
}

function fromJson(setting: NamedSetting, text: string, origin: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return refuse(setting, origin);
  }
}

/** Throws `configuration` if the value does not match the schema. */
export function checked(setting: NamedSetting, value: unknown, origin: string): SettingValue {
  // Records are checked one by one when they are read, with better messages.
  const isRecordList = setting.records && Array.isArray(value);
  // Each schema is used once, so compiling it would not pay.
  if (!isRecordList && !Check(setting.schema, value)) refuse(setting, origin, value);
  if (setting.databaseUrl === true) checkDatabaseUrl(setting, String(value), origin);
  return { value, origin };
}

/** Whether other users of the machine can see where a value comes from: the list of processes shows arguments. */
function isArgument(origin: string): boolean {
  return origin === "argument" || origin.startsWith("flag ");
}

function checkDatabaseUrl({ name }: NamedSetting, url: string, origin: string): void {
  let hasPassword: boolean;
  try {
    hasPassword = parseDatabaseUrl(url).password !== undefined;
  } catch (error) {
    throw error instanceof RuntimeError ? settingError(origin, name, error.message) : error;
  }
  if (hasPassword && isArgument(origin)) throw settingError(origin, name, passwordInArgument(name));
}

/** What to do instead of passing a database URL with a password on the command line. */
export function passwordInArgument(name: string): string {
  return (
    "The database URL contains a password, and other users of this machine can see arguments. Leave the password out, and " +
    `put it into a file that database.password_file names, or the whole URL into ${environmentName(name)}.`
  );
}

/** The value of a setting from the text of a command, to be written into the file. Throws `configuration`. */
export function settingOf(declarations: SettingDeclarations, name: string, text: string): unknown {
  const declaration = declarations[name];
  if (declaration === undefined) {
    const near = nearest(name, Object.keys(declarations));
    const advice = near === undefined ? "" : ` Did you mean ${near}?`;
    throw configurationError(
      `The setting ${name} does not exist.${advice} To see all: runtime config show`,
      unknownRecord("key"),
    );
  }
  if (declaration.secret === true)
    throw configurationError(`${name} is not read from the file. Set it in the environment.`);
  if (declaration.records === true)
    throw configurationError(`${name} is a list of records. Edit it in the file: runtime config path`);
  const setting = { ...declaration, name };
  return checked(setting, fromText(setting, text, "argument"), "argument").value;
}

function refuse({ name, schema }: NamedSetting, origin: string, value?: unknown): never {
  const listed = "enum" in schema && Array.isArray(schema.enum) ? closedList(schema.enum, value) : undefined;
  const rule = "description" in schema ? String(schema.description) : "of the declared type";
  const expected = listed ?? `must be ${rule}`;
  throw settingError(
    origin,
    name,
    value === "" ? `"${name}" is empty. It ${expected}.` : `"${name}" ${expected}.`,
  );
}
