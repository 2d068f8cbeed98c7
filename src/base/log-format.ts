// Log lines for people: `2026-01-02T03:04:05.678Z warn  the message  name=value`.
import { isObject } from "./json";
import type { LineFormat } from "./log";
import { visible, visibleJson } from "./visible";

/** `json` for programs, `text` for people. */
export type LogFormat = "json" | "text";

/** A line of a server, for people. */
export const textLine: LineFormat = (json) => {
  const { time, level, text } = partsOf(json);
  return `${time} ${level.padEnd(5)} ${text}`;
};

/** A line of a command, whose other messages have no time either: `warning: the message  name=value`. */
export const commandLine: LineFormat = (json) => {
  const { level, text } = partsOf(json);
  return `${level === "warn" ? "warning" : level}: ${text}`;
};

export function lineFormat(format: LogFormat): LineFormat {
  return format === "json" ? (json) => json : textLine;
}

function partsOf(json: string): { time: string; level: string; text: string } {
  // Written by `createLog`, from values that may be nested deeply.
  const line: unknown = JSON.parse(json);
  const { time, level, message, ...fields } = isObject(line) ? line : {};
  const shown = Object.entries(fields).map(([name, value]) => `${name}=${valueOf(value)}`);
  return {
    time: String(time),
    level: String(level),
    text: [visible(String(message)), ...(shown.length === 0 ? [] : [""]), ...shown].join(" "),
  };
}

function valueOf(value: unknown): string {
  if (typeof value === "string" && /^[\w.:/@+*{}-]+$/.test(value)) return value;
  return visibleJson(JSON.stringify(value));
}
