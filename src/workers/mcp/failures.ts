// Why an MCP worker could not be asked for its catalog, in words for the operator. What a server says in an error is not
// repeated: it may contain what was sent to it.
import { EgressError } from "../../egress";
import { ProtocolError, ServerError, ServerTimeout, StatusError } from "../../mcp";
import { cleanDescription } from "../foreign";
import { identityAdvice } from "../identity";
import { type LoadedWorker, NO_ANSWER, PassingFailure, WorkerFailure } from "../tool";

const PASSING = [429, 502, 503, 504];

/** Rethrows what is not a failure of the server or of the network. */
export function workerFailure(worker: LoadedWorker, thrown: unknown): WorkerFailure {
  const who = `The worker ${worker.id}`;
  if (thrown instanceof WorkerFailure) return thrown;
  if (thrown instanceof EgressError) return unanswered(who, thrown);
  if (thrown instanceof StatusError) return byStatus(worker, who, thrown);
  if (thrown instanceof ServerError) return byError(who, thrown);
  if (thrown instanceof ServerTimeout) return new WorkerFailure("timeout", `${who}: ${thrown.message}`);
  if (thrown instanceof ProtocolError)
    return new WorkerFailure("protocol", `${who}: ${thrown.message} Check its address.`);
  throw thrown;
}

const MOST_WORDS = 1000;

/** Why a program could not be asked, with what it has written itself: only that says what it lacks. */
export function programFailure(worker: LoadedWorker, thrown: unknown, lastWords: readonly string[]): unknown {
  const isKnown =
    thrown instanceof EgressError || thrown instanceof ServerTimeout || thrown instanceof ProtocolError;
  if (!isKnown) return thrown;
  const said = cleanDescription(lastWords.join("\n")).trim().slice(-MOST_WORDS);
  const wrote = said === "" ? "" : ` It wrote: ${said}`;
  const reason = thrown instanceof EgressError ? NO_ANSWER[thrown.reason] : "protocol";
  const isLate = thrown instanceof ServerTimeout || reason === "timeout";
  const message = `The worker ${worker.id}: ${thrown.message}${wrote}`;
  return new WorkerFailure(isLate ? "timeout" : reason, message, { cause: thrown });
}

function unanswered(who: string, thrown: EgressError): WorkerFailure {
  const { reason, message } = thrown;
  if (reason === "aborted")
    return new WorkerFailure("timeout", `${who} did not send its whole catalog in time.`);
  const advice = reason === "redirect_refused" ? " Enter the address to which it leads, if it is right." : "";
  const Failure = reason === "unreachable" || reason === "timeout" ? PassingFailure : WorkerFailure;
  // The message of an `EgressError` names the origin and the setting, and no secret.
  return new Failure(NO_ANSWER[reason], `${who}: ${message}${advice}`, { cause: thrown });
}

function byError(who: string, { code }: ServerError): WorkerFailure {
  return new WorkerFailure("refused", `${who} refused the request with the JSON-RPC error ${code}.`);
}

function byStatus(worker: LoadedWorker, who: string, { status, headers }: StatusError): WorkerFailure {
  const said = `${who} answers with status ${status}.`;
  const challenge = headers.get("www-authenticate");
  if (status === 401 || status === 403) {
    return new WorkerFailure(
      "unauthorized",
      `${said} It needs another credential, or the consent of a user: check the headers of its record, or authorize it.${identityAdvice(worker)}`,
      challenge === null ? {} : { challenge },
    );
  }
  if (PASSING.includes(status)) return new PassingFailure("refused", said);
  if (status >= 500) return new WorkerFailure("refused", said);
  return new WorkerFailure(
    "protocol",
    `${said} It does not seem to be an MCP server at this address. Check the address.`,
  );
}
