// One line of JSON per event on standard error (or wherever the front sends it).
import type { Clock } from "./clock";
import { Redacted } from "./redacted";

export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";
export type LogFields = { [key: string]: unknown };
/** Given as a function, fields are made only when the line is written: on hot paths they cost more than the work. */
export type LazyFields = LogFields | (() => LogFields);

export interface Log {
  /** Whether `debug` lines are written: where even asking costs, nobody need. */
  readonly debugs: boolean;
  debug(message: string, fields?: LazyFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** A symbol, so that no configuration file can ever switch it on: tests prove with it that redaction matters. */
export const unsafePrintSecrets: unique symbol = Symbol("print secrets");

export interface LogOptions {
  level: LogLevel;
  clock: Clock;
  write: (line: string) => void;
  [unsafePrintSecrets]?: boolean;
}

const ORDER: LogLevel[] = ["debug", "info", "warn", "error", "silent"];

export function createLog(options: LogOptions): Log {
  const threshold = ORDER.indexOf(options.level);
  const printSecrets = options[unsafePrintSecrets] === true;
  const at = (level: LogLevel) => {
    if (ORDER.indexOf(level) < threshold) return () => undefined;
    return (message: string, fields: LazyFields = {}): void => {
      const line = { time: new Date(options.clock.now()).toISOString(), level, message };
      options.write(
        textOf({ ...line, ...(typeof fields === "function" ? fields() : fields) }, printSecrets) ??
          JSON.stringify({ ...line, unprintable: true }),
      );
    };
  };
  return {
    debugs: threshold === 0,
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
  };
}

export const silentLog: Log = createLog({
  level: "silent",
  clock: { now: () => 0, sleep: () => Promise.resolve() },
  write: () => undefined,
});

// undefined for what JSON cannot hold, a cycle or a bigint: who reports an error must not meet a second one here.
function textOf(line: LogFields, printSecrets: boolean): string | undefined {
  try {
    return JSON.stringify(line, (_key, value: unknown) => printable(value, printSecrets));
  } catch {
    return undefined;
  }
}

// `JSON.stringify` calls `toJSON` before the replacer, which sees redacted values as `[redacted]` already. So it is what
// holds them, object or list, that is walked here when they shall print.
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
