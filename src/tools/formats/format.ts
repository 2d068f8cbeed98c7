// The formats by name.
import { RuntimeError } from "../../errors";

export const FORMATS = ["arcade", "openai", "anthropic", "gemini", "mcp"] as const;
export type Format = (typeof FORMATS)[number];

export const DEFAULT_FORMAT: Format = "openai";

/** Throws `unsupported_format` naming the formats that exist. */
export function formatOf(name: string): Format {
  const format = FORMATS.find((known) => known === name);
  if (format !== undefined) return format;
  throw new RuntimeError("unsupported_format", 400, `Unknown format. Known formats: ${FORMATS.join(", ")}.`);
}
