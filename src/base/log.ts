// Logging: one line per event, as JSON unless another format is given, on standard error unless configured otherwise.
import { visibleJson } from "./visible";
import type { Clock } from "./clock";
import { BoundedKinds } from "./bounded-kinds";
import { LastLines } from "./last-lines";
import { Redacted } from "./redacted";

export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
export type LogFields = { [key: string]: unknown };
/** A function is called only if the line is written: on hot paths, building the fields costs more than the work. */
export type LazyFields = LogFields | (() => LogFields);

export interface Log {
  /** Whether `debug` lines are written, for hot paths that skip the call. */
  readonly debugs: boolean;
  debug(message: string, fields?: LazyFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A request of the access log: at every level but `silent`, because a setting of its own turns it on. */
  access(fields: LogFields): void;
  /**
   * An `info` line about a refusal. Callers cause them, so the number of lines is limited for each `kind`, which no caller
   * may choose.
   */
  refused(kind: string, fields: LogFields): void;
}

/** A log whose level and access log can be changed while the process runs. */
export interface LeveledLog extends Log {
  readonly level: LogLevel;
  setLevel(level: LogLevel): void;
  /** Whether requests are to be logged. */
  readonly hasAccess: boolean;
  setAccess(hasAccess: boolean): void;
  /** The last lines as JSON, the oldest first; empty unless the options say how many. */
  readonly lastLines: readonly string[];
}

/** A symbol, so that a configuration file cannot set it. Tests use it to prove that redaction has an effect. */
export const unsafePrintSecrets: unique symbol = Symbol("print secrets");

/** The text of a line, from its JSON. */
export type LineFormat = (json: string) => string;

export interface LogOptions {
  level: LogLevel;
  clock: Clock;
  write: (line: string) => void;
  /** Called after each line. */
  wrote?: (level: LogLevel) => void;
  /** Default: the JSON itself. */
  format?: LineFormat;
  /** How many lines are kept in memory, without those at `debug`, which name users. */
  keeps?: number;
  [unsafePrintSecrets]?: boolean;
}

export function createLog(options: LogOptions): LeveledLog {
  const { clock, format = (json) => json } = options;
  const printSecrets = options[unsafePrintSecrets] === true;
  const refusals = new BoundedKinds(clock);
  let level = options.level;
  let hasAccess = false;
  const kept = new LastLines(options.keeps ?? 0);
  let threshold = LOG_LEVELS.indexOf(level);
  const write = (at: LogLevel, message: string, fields: LazyFields): void => {
    const line = { time: new Date(clock.now()).toISOString(), level: at, message };
    const all = { ...line, ...(typeof fields === "function" ? fields() : fields) };
    const text = textOf(all, printSecrets) ?? JSON.stringify({ ...line, unprintable: true });
    if (at !== "debug") kept.add(text);
    options.write(format(text));
    options.wrote?.(at);
  };
  const at = (own: LogLevel) => {
    const rank = LOG_LEVELS.indexOf(own);
    return (message: string, fields: LazyFields = {}): void => {
      if (rank >= threshold) write(own, message, fields);
    };
  };
  const info = at("info");
  return {
    get debugs() {
      return threshold === 0;
    },
    get level() {
      return level;
    },
    setLevel: (next) => {
      level = next;
      threshold = LOG_LEVELS.indexOf(next);
    },
    get hasAccess() {
      return hasAccess;
    },
    setAccess: (next) => {
      hasAccess = next;
    },
    get lastLines() {
      return kept.lines;
    },
    debug: at("debug"),
    info,
    warn: at("warn"),
    error: at("error"),
    access: (fields) => {
      if (level !== "silent") write("info", "request", fields);
    },
    refused: (kind, fields) => {
      if (threshold > LOG_LEVELS.indexOf("info")) return;
      const more = refusals.take(kind);
      if (more !== undefined) info("refused", { ...fields, ...more });
    },
  };
}

export const silentLog: LeveledLog = createLog({
  level: "silent",
  clock: { now: () => 0, monotonic: () => 0, sleep: () => Promise.resolve() },
  write: () => undefined,
});

// Undefined for values that JSON cannot represent (cycles, bigint): logging must not throw.
function textOf(line: LogFields, printSecrets: boolean): string | undefined {
  try {
    return visibleJson(JSON.stringify(line, (_key, value: unknown) => printable(value, printSecrets)));
  } catch {
    return undefined;
  }
}

// `JSON.stringify` calls `toJSON` before the replacer, which therefore sees `[redacted]`. To print secrets, the replacer
// handles the object or list that contains them.
function printable(value: unknown, printSecrets: boolean): unknown {
  if (value instanceof Error) return printableError(value);
  if (!printSecrets || typeof value !== "object" || value === null) return value;
  const shown = (inner: unknown): unknown => (inner instanceof Redacted ? inner.reveal() : inner);
  if (Array.isArray(value)) return value.map(shown);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shown(inner)]));
}

function printableError(error: Error): LogFields {
  const cause = error.cause instanceof Error ? printableError(error.cause) : undefined;
  return {
    name: error.name,
    message: error.message,
    stack: error.stack?.split("\n").slice(1, 6),
    cause,
  };
}
