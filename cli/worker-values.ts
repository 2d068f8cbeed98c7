// Names and values on the command line of `workers`.
import { UsageError } from "./errors";
import type { Io } from "./io";

/** `X-Team=blue` or `X-Team: blue` as name and value. Throws `usage`. */
export function pair(text: string, flag: string): [string, string] {
  const at = text.search(/[=:]/);
  if (at <= 0) throw new UsageError(`${flag} takes a name and a value: ${flag} NAME=value`);
  return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

/** The value of an environment variable. Throws `usage` if it is not set. */
export function variable(io: Io, name: string): string {
  const value = io.env[name];
  if (value !== undefined && value !== "") return value;
  throw new UsageError(`The environment variable ${name} is not set.`);
}
