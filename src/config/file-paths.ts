// Relative paths in the configuration file. They are meant from the folder of the file, wherever a command or a server starts;
// those of flags and the environment are meant from the working directory.
import { isAbsolute, join } from "node:path";
import { isObject } from "../base";
import type { SettingDeclaration } from "./keys";
import { argumentList, path } from "./types";

const FILE_REFERENCE = /^\$\{file:([^}]+)\}$/;
const URL_FILE = /([?&](?:sslrootcert|sslcert|sslkey)=)([^&#]*)/g;

/**
 * The value of a setting with its relative paths below a folder: paths, programs that are named with a folder, files in the
 * parameters of a database URL, and `${file:PATH}` in records. Other values, also those of a wrong type, are returned unchanged.
 */
export function placedIn(
  folder: string,
  { schema, databaseUrl, records }: SettingDeclaration,
  value: unknown,
): unknown {
  if (schema === path) return typeof value === "string" ? placed(folder, value) : value;
  if (schema === argumentList) return programIn(folder, value);
  if (databaseUrl === true && typeof value === "string") return urlIn(folder, value);
  return records === true ? recordsIn(folder, value) : value;
}

/** `~` is the home folder, and is replaced where the path is used. An empty text is not a path. */
function placed(folder: string, text: string): string {
  const isPlaced = text === "" || text === "~" || text.startsWith("~/") || isAbsolute(text);
  return isPlaced ? text : join(folder, text);
}

/** A program without a folder is searched for in PATH. */
function programIn(folder: string, value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const [program, ...rest]: unknown[] = value;
  if (typeof program !== "string" || !program.includes("/")) return value;
  return [placed(folder, program), ...rest];
}

function urlIn(folder: string, url: string): string {
  return url.replace(URL_FILE, (whole, start: string, given: string) => {
    const file = decoded(given);
    // `system` means the public authorities.
    if (file === undefined || file === "system") return whole;
    const path = placed(folder, file);
    return path === file ? whole : start + encodeURIComponent(path).replaceAll("%2F", "/");
  });
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    // Refused where the URL is read.
    return undefined;
  }
}

function recordsIn(folder: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => recordsIn(folder, item));
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, recordsIn(folder, item)]));
  const [, file] = typeof value === "string" ? (FILE_REFERENCE.exec(value) ?? []) : [];
  return file === undefined ? value : `\${file:${placed(folder, file)}}`;
}
