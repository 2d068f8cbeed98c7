// Why a worker could not be asked, in words for the operator. What a worker says in an error is not repeated: it may contain
// what was sent to it.
import { isObject, parsePlainJson } from "../../base";
import { type EgressCause, EgressError } from "../../egress";
import { identityAdvice } from "../identity";
import { type LoadedWorker, NO_ANSWER, PassingFailure, WorkerFailure } from "../tool";

const PASSING: readonly EgressCause[] = ["not_resolved", "unreachable", "timeout"];

/** `maxBytes`: the largest answer to this request. Rethrows what is not an `EgressError`. */
export function unanswered(worker: LoadedWorker, error: unknown, maxBytes: number): WorkerFailure {
  if (!(error instanceof EgressError)) throw error;
  const Failure = PASSING.includes(error.reason) ? PassingFailure : WorkerFailure;
  return new Failure(NO_ANSWER[error.reason], problemOf(worker, error, maxBytes), { cause: error });
}

function problemOf({ id, timeoutMs }: LoadedWorker, error: EgressError, maxBytes: number): string {
  switch (error.reason) {
    case "timeout":
      return `The worker ${id} did not answer within ${timeoutMs / 1000} s. Check that it runs, or raise its timeout.`;
    case "too_large":
      return `The worker ${id} sends more than ${maxBytes} bytes.`;
    default:
      // The message names the origin and the setting, and no secret.
      return `The worker ${id}: ${error.message}`;
  }
}

/** For every status but 2xx, from the health or the catalog. Reads the body. */
export async function refusal(worker: LoadedWorker, response: Response): Promise<WorkerFailure> {
  const { status } = response;
  // Not "unauthorized": no consent of a user would help.
  if (status === 401 || status === 403)
    return new WorkerFailure("refused", await signatureAdvice(worker, response));
  const Failure = status >= 500 || status === 429 ? PassingFailure : WorkerFailure;
  return new Failure("refused", `${answeredWith(worker, status)}${statusAdvice(status)}`);
}

function answeredWith({ id }: LoadedWorker, status: number): string {
  return `The worker ${id} answers with status ${status}.`;
}

function statusAdvice(status: number): string {
  return status === 404
    ? " Check its address, and that the worker was started with its secret: without one it may not serve this protocol."
    : "";
}

/** Why a worker refuses our token, as far as its answer says. Reads the body. */
export async function signatureAdvice(worker: LoadedWorker, response: Response): Promise<string> {
  const start = `${answeredWith(worker, response.status)} It does not accept how this server signs its requests.`;
  return `${start} ${adviceFor(detailOf(await response.text()))}${identityAdvice(worker)}`;
}

function detailOf(text: string): string {
  try {
    const body = parsePlainJson(text.slice(0, 2000));
    const detail = isObject(body) ? body["detail"] : undefined;
    return typeof detail === "string" ? detail.toLowerCase() : "";
  } catch {
    return "";
  }
}

/** The texts are those of the library that workers check tokens with. */
function adviceFor(detail: string): string {
  if (/expired|not yet valid|\biat\b/.test(detail)) return "Check the clocks of both machines.";
  if (/token version|audience/.test(detail))
    return "It expects another version of the protocol. Update the worker.";
  return "The secret that was entered here is not the secret that the worker was started with. Enter that one.";
}
