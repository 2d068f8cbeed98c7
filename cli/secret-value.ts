// Secrets on their way in: from a hidden prompt, standard input, a file or an environment variable. Never an argument.
import { UsageError } from "./errors";
import type { Io } from "./io";

export type SecretSource =
  { kind: "stdin" } | { kind: "file"; file: string } | { kind: "env"; variable: string };

/** The one source that was given; undefined: ask. Throws `usage` for several. */
export function sourceOf(given: readonly (SecretSource | undefined)[]): SecretSource | undefined {
  const [source, ...more] = given.filter((each) => each !== undefined);
  if (more.length === 0) return source;
  throw new UsageError("Give the value in one way only: -, --from-file or --from-env.");
}

/** Throws `usage` when there is no source and nobody to ask, `malformed_request` for what is no text. */
export async function secretFrom(io: Io, source: SecretSource | undefined, what: string): Promise<string> {
  const text = await textFrom(io, source, what);
  const { hasNul } = await import("../src/base");
  const { malformedRequest } = await import("../src/errors");
  if (hasNul(text)) throw malformedRequest(`${what} holds the NUL character.`);
  if (text === "") throw new UsageError(`${what} is empty.`);
  return text;
}

async function textFrom(io: Io, source: SecretSource | undefined, what: string): Promise<string> {
  if (source === undefined) {
    if (io.interactive) return io.prompts.secret(what);
    throw new UsageError(
      `There is no terminal to ask at. ${what} comes by - (standard input), --from-file FILE or --from-env NAME.`,
    );
  }
  if (source.kind === "env") {
    const value = io.env[source.variable];
    if (value !== undefined) return value;
    throw new UsageError(`--from-env: the variable ${source.variable} is not set.`);
  }
  const { readText, withoutLineEnd } = await import("./input");
  const place = source.kind === "stdin" ? "-" : source.file;
  return withoutLineEnd(await readText(io, place, what));
}
