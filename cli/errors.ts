// How commands fail, and the exit code of each failure.
import type { Authorization } from "../src/authorization";
import { type ErrorName, toRuntimeError } from "../src/errors";

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
  interrupted: 130,
} as const;

/** The same for people: `runtime help exit-codes`, and the README's table. */
export const EXITS: readonly { code: number; meaning: string }[] = [
  { code: EXIT.ok, meaning: "done" },
  {
    code: EXIT.error,
    meaning: "refused: bad input, something to configure, a server that cannot be reached",
  },
  { code: EXIT.usage, meaning: "wrong use of the command line" },
  { code: EXIT.notFound, meaning: "no such tool or record" },
  { code: EXIT.credential, meaning: "not permitted: credential or role" },
  { code: EXIT.conflict, meaning: "exists already, conflict" },
  { code: EXIT.consent, meaning: "the user has to consent first; the message holds the address" },
  { code: EXIT.rateLimited, meaning: "rate limited: try again later" },
  { code: EXIT.timeout, meaning: "no answer in time" },
  { code: EXIT.toolFailed, meaning: "the tool ran and failed, or a hook denied it" },
  { code: EXIT.interrupted, meaning: "stopped by Ctrl-C" },
];

/** The command line itself is wrong. The message names the flag or word that would be right. */
export class UsageError extends Error {
  override readonly name = "usage";
}

/** Standard output cannot be written: a full disk. */
export class OutputError extends Error {
  override readonly name = "output";
}

/** A user owes a consent and nobody is here to give it; `authorization` says where it can be given. */
export class ConsentOwed extends Error {
  override readonly name = "tool_requirements_not_met";
  readonly authorization: { id: string; url: string | undefined; status: string };

  constructor(message: string, { id, url, status }: Authorization) {
    super(message);
    this.authorization = { id, url, status };
  }
}

const CODES: { readonly [N in ErrorName]?: number } = {
  tool_not_found: EXIT.notFound,
  not_found: EXIT.notFound,
  route_not_found: EXIT.notFound,
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
  if (error instanceof ConsentOwed) return EXIT.consent;
  const { name, status } = toRuntimeError(error);
  // 403 is the user's to mend, by a consent; 400 the administrator's.
  if (name === "tool_requirements_not_met") return status === 403 ? EXIT.consent : EXIT.error;
  return CODES[name] ?? EXIT.error;
}

// Ctrl-C in a prompt. Known by its name: the package that throws it is loaded only when something is asked.
function isInterrupt(error: unknown): boolean {
  return error instanceof Error && error.name === "ExitPromptError";
}
