// The errors of commands, and their exit codes.
import type { Authorization } from "../src/authorization";
import { type ErrorName, isUnknownRecord, RuntimeError, toRuntimeError } from "../src/errors";

/** The documented exit codes. */
export const EXIT = {
  ok: 0,
  error: 1,
  usage: 2,
  notFound: 3,
  credential: 4,
  conflict: 5,
  consent: 6,
  rateLimited: 7,
  timeout: 8,
  toolFailed: 9,
  changes: 10,
  interrupted: 130,
} as const;

/** Their descriptions, for `runtime help exit-codes` and the README's table. */
export const EXITS: readonly { code: number; meaning: string }[] = [
  { code: EXIT.ok, meaning: "done" },
  {
    code: EXIT.error,
    meaning: "error: bad input, missing configuration, unreachable server",
  },
  { code: EXIT.usage, meaning: "command line error, or invalid input of a tool" },
  { code: EXIT.notFound, meaning: "tool or record not found" },
  { code: EXIT.credential, meaning: "not permitted: invalid credential or role" },
  { code: EXIT.conflict, meaning: "already exists, or conflict" },
  { code: EXIT.consent, meaning: "the user must consent first; the message contains the address" },
  { code: EXIT.rateLimited, meaning: "rate limited; try again later" },
  { code: EXIT.timeout, meaning: "timeout; serve: work was cut off when it stopped" },
  { code: EXIT.toolFailed, meaning: "the tool failed, or a hook denied the call" },
  { code: EXIT.changes, meaning: "apply --detailed-exitcode: something would change, or was changed" },
  { code: EXIT.interrupted, meaning: "interrupted by Ctrl-C" },
];

/** An invalid command line. The message names the correct flag or word. */
export class UsageError extends Error {
  override readonly name = "usage";
}

/** A document with mistakes. Nothing was changed. */
export class DocumentError extends RuntimeError {
  /** One line for each mistake, below the message. */
  readonly details: readonly string[];

  /** `document`: its name. */
  constructor(document: string, problems: readonly { line: number; column: number; message: string }[]) {
    const lines = problems.map(({ line, column, message }) => `line ${line}, column ${column}: ${message}`);
    const [first = ""] = lines;
    const only = `${document}, ${first}${first.endsWith("?") ? "" : "."} Nothing was changed.`;
    const many = `${document} has ${lines.length} mistakes, so nothing was changed.`;
    super("malformed_request", 400, lines.length === 1 ? only : many, {
      fieldErrors: problems.map(({ line, column, message }) => ({
        field: `line ${line}, column ${column}`,
        rule: "document",
        message,
      })),
    });
    this.details = lines.length === 1 ? [] : lines;
  }
}

/** Standard output cannot be written, for example because the disk is full. */
export class OutputError extends Error {
  override readonly name = "output";
}

/** A user must consent and there is no terminal; `authorization` contains the address. */
export class ConsentRequired extends Error {
  override readonly name = "tool_requirements_not_met";
  readonly authorization: { id: string; url: string | undefined; status: string };

  constructor(message: string, { id, url, status }: Authorization) {
    super(message);
    this.authorization = { id, url, status };
  }
}

const CODES: { readonly [N in ErrorName]?: number } = {
  invalid_authorization: EXIT.credential,
  forbidden: EXIT.credential,
  already_exists: EXIT.conflict,
  conflict: EXIT.conflict,
  rate_limited: EXIT.rateLimited,
  gateway_timeout: EXIT.timeout,
};

export function exitCodeOf(error: unknown): number {
  if (isInterrupt(error)) return EXIT.interrupted;
  if (error instanceof UsageError) return EXIT.usage;
  if (error instanceof ConsentRequired) return EXIT.consent;
  const failure = toRuntimeError(error);
  if (isUnknownRecord(failure)) return EXIT.notFound;
  const { name, status } = failure;
  // 403 needs a consent of the user, 400 a change by the administrator.
  if (name === "tool_requirements_not_met") return status === 403 ? EXIT.consent : EXIT.error;
  return CODES[name] ?? EXIT.error;
}

// Ctrl-C in a prompt. Compared by name, because the package that throws it is loaded only for prompts.
function isInterrupt(error: unknown): boolean {
  return error instanceof Error && error.name === "ExitPromptError";
}
