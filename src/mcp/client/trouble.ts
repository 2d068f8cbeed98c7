// What failures of requests say about the session and the revision of a server.
import {
  HEADER_MISMATCH,
  INVALID_PARAMS,
  METHOD_NOT_FOUND,
  MISSING_CAPABILITY,
  SESSION_NOT_FOUND,
  UNSUPPORTED_VERSION,
} from "../json-rpc";
import { ServerError, ServerTimeout, StatusError } from "./failure";
import type { ServerSession } from "./sessions";

function statusOf(thrown: unknown): number | undefined {
  return thrown instanceof StatusError || thrown instanceof ServerError ? thrown.status : undefined;
}

function codeOf(thrown: unknown): number | undefined {
  return thrown instanceof ServerError ? thrown.code : undefined;
}

/** Whether the time of a request was over. */
export function isTimeout(thrown: unknown): boolean {
  if (thrown instanceof ServerTimeout) return true;
  return thrown instanceof Error && "reason" in thrown && thrown.reason === "timeout";
}

/**
 * Whether the server no longer knows the session. The revision says 404; several servers answer 400, with a code or only with
 * the word in a text.
 */
export function isLost({ id }: ServerSession, thrown: unknown): boolean {
  if (id === undefined) return false;
  const status = statusOf(thrown);
  if (status === 404) return codeOf(thrown) !== METHOD_NOT_FOUND;
  if (status !== 400) return false;
  const text = thrown instanceof StatusError ? thrown.excerpt : thrown instanceof Error ? thrown.message : "";
  return codeOf(thrown) === SESSION_NOT_FOUND || /\bsession\b/i.test(text);
}

/** Codes with which a server of revision 2026-07-28 refuses a request that it understands. */
const MODERN_CODES = [HEADER_MISMATCH, MISSING_CAPABILITY, METHOD_NOT_FOUND, INVALID_PARAMS];

/** Whether a refusal says that the server no longer speaks the revision that it spoke. */
export function isOfOtherFamily(session: ServerSession | undefined, thrown: unknown): boolean {
  const code = codeOf(thrown);
  if (code === UNSUPPORTED_VERSION) return true;
  const isRefused = [400, 404, 405].includes(statusOf(thrown) ?? 0);
  if (session?.facts.modern !== true) return isRefused;
  return isRefused && (code === undefined || !MODERN_CODES.includes(code));
}
