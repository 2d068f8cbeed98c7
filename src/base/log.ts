// Logging: one line of JSON per event, on standard error unless configured otherwise.
import { visibleJson } from "./visible";
import type { Clock } from "./clock";
import { Redacted } from "./redacted";

export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";
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
}

/** A symbol, so that a configuration file cannot set it. Tests use it to prove that redaction has an effect. */
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
