// Errors of settings, which name where the value comes from.
import { configurationError, RuntimeError } from "../errors";

export interface ConfigFileErrorDetails {
  cause?: unknown;
  /** Where the mistake is; the reader of the file does not know it. */
  line?: number;
}

/** A mistake in the configuration file. `key`: what it is about, such as `models.0.id`; absent if the file is not YAML. */
export class ConfigFileError extends RuntimeError {
  readonly file: string;
  readonly text: string;
  readonly key: string | undefined;
  readonly line: number | undefined;

  constructor(file: string, text: string, key?: string, { cause, line }: ConfigFileErrorDetails = {}) {
    super("configuration", 500, `${file}${line === undefined ? "" : `, line ${line}`}: ${text}`, { cause });
    this.file = file;
    this.text = text;
    this.key = key;
    this.line = line;
  }
}

/** An error about a setting. `origin`: as `Config.originOf` returns it. */
export function settingError(origin: string, key: string, text: string): RuntimeError {
  if (origin.startsWith("file ")) return new ConfigFileError(origin.slice("file ".length), text, key);
  return configurationError(`${origin.replace(/^(environment|flag) /, "")}: ${text}`);
}
