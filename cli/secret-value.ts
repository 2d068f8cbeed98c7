// Input of secrets: from a hidden prompt, standard input, a file or an environment variable, never from an argument.
import { UsageError } from "./errors";
import type { Io } from "./io";

/** A file, or `-` for standard input; or an environment variable. */
export type SecretSource = { file: string } | { variable: string };

/** The source that the flags select; undefined: a prompt. Throws `usage` for more than one. */
export function sourceOf(
  stdin: boolean,
  file: string | undefined,
  variable: string | undefined,
): SecretSource | undefined {
  const sources = [
    ...(stdin ? [{ file: "-" }] : []),
    ...(file === undefined ? [] : [{ file }]),
    ...(variable === undefined ? [] : [{ variable }]),
  ];
  if (sources.length <= 1) return sources[0];
  throw new UsageError(
    "Use only one source for the value: standard input, a file or an environment variable.",
  );
}

/** Throws `usage` if there is no source and no terminal, `malformed_request` for a value that is not text. */
export async function secretFrom(io: Io, source: SecretSource | undefined, what: string): Promise<string> {
  const text = await textFrom(io, source, what);
  const { hasNul } = await import("../src/base");
  const { malformedRequest } = await import("../src/errors");
  if (hasNul(text)) throw malformedRequest(`${what} contains the NUL character.`);
  if (text === "") throw new UsageError(`${what} is empty.`);
  return text;
}

async function textFrom(io: Io, source: SecretSource | undefined, what: string): Promise<string> {
  if (source === undefined) {
    if (io.interactive) return io.prompts.secret(what);
    throw new UsageError(
      `A prompt needs a terminal. ${what} can be read with - (standard input), --from-file FILE or --from-env NAME.`,
    );
  }
  if ("variable" in source) {
    const value = io.env[source.variable];
    if (value !== undefined) return value;
    throw new UsageError(`The environment variable ${source.variable} is not set.`);
  }
  const { readText, withoutLineEnd } = await import("./input");
  return withoutLineEnd(await readText(io, source.file, what));
}
