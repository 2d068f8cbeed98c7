// The settings in the bundle: each with its origin, and its value only where that can be no secret.
import { isAbsolute } from "node:path";
import { type Config, path as pathSchema } from "../config";

export interface ShownSetting {
  name: string;
  value: unknown;
  origin: string;
}

const SET = "[set]";
/** Free texts that are shown: names that say how the server behaves, and never whom it serves. */
const SHOWN_TEXTS = new Set([
  "host",
  "project",
  "auth.user_claim",
  "metrics.listen",
  "telemetry.service_name",
]);

/** All settings that have a value, by name. */
export function shownSettings(config: Config): ShownSetting[] {
  return Object.entries(config.declarations)
    .filter(([name]) => config.isSet(name))
    .map(([name, declaration]) => ({
      name,
      value: valueOf(config, name, declaration),
      origin: config.originOf(name),
    }));
}

function valueOf(config: Config, name: string, { schema, secret, records, json }: Declaration): unknown {
  const value: unknown = Object.entries(config.settings).find(([key]) => key === name)?.[1];
  if (secret === true || records === true || json === true || value === undefined) return SET;
  if (typeof value === "boolean" || typeof value === "number") return value;
  if ("enum" in schema) return value;
  if (Array.isArray(value)) return listOf(value);
  if (typeof value !== "string") return SET;
  // Addresses lose all but their origin, and known paths get their names, when the bundle is scrubbed.
  if (schema === pathSchema || isAddress(value) || SHOWN_TEXTS.has(name)) return value;
  return SET;
}

type Declaration = Config["declarations"][string];

function listOf(list: readonly unknown[]): unknown {
  return list.every((each) => typeof each === "string") ? list : `[${list.length} entries]`;
}

function isAddress(text: string): boolean {
  return /^https?:\/\//.test(text);
}

/** Paths of the settings, with the names that take their place. */
export function settingPaths(config: Config): Map<string, string> {
  const paths = new Map<string, string>();
  for (const [name, { schema }] of Object.entries(config.declarations)) {
    const value: unknown = Object.entries(config.settings).find(([key]) => key === name)?.[1];
    if (schema === pathSchema && typeof value === "string" && isAbsolute(value)) paths.set(value, name);
  }
  return paths;
}
