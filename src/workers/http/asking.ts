// Requests for the catalog and the health of a worker. They change nothing, so they are repeated as often as the record says.
import type { Clock, Redacted } from "../../base";
import type { Egress } from "../../egress";
import { identityHeaders } from "../identity";
import { type AskOptions, type LoadedWorker, PassingFailure } from "../tool";
import { baseAddress } from "./address";
import { refusal, unanswered } from "./worker-failure";
import { bearer, workerToken } from "./token";

export interface Asking {
  egress: Egress;
  clock: Clock;
}

export interface Question {
  /** Below the base address. */
  route: string;
  /** Whether the request needs the worker's secret. */
  isSigned: boolean;
  maxBytes: number;
}

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 4000;

/** How long to wait before a repeat; `attempt` counts from 0. */
export function waitAfter(attempt: number): number {
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt);
}

/** The text of the answer. Throws `WorkerFailure`. */
export async function ask(
  asking: Asking,
  worker: LoadedWorker,
  question: Question,
  options: AskOptions,
): Promise<string> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await once(asking, worker, question, options);
    } catch (error) {
      const isLast = attempt >= worker.retry || options.signal?.aborted === true;
      if (!(error instanceof PassingFailure) || isLast) throw error;
      await asking.clock.sleep(waitAfter(attempt), options.signal);
    }
  }
}

async function once(
  asking: Asking,
  worker: LoadedWorker,
  question: Question,
  options: AskOptions,
): Promise<string> {
  const secret = question.isSigned ? await worker.secret() : undefined;
  const send = (): Promise<Response> => sent(asking, worker, question, secret, options);
  let response = await send();
  // The clock may have been set since the token was made: a new one may be accepted.
  if (response.status === 401 && question.isSigned) response = await send();
  if (!response.ok) throw await refusal(worker, response);
  return response.text();
}

async function sent(
  { egress, clock }: Asking,
  worker: LoadedWorker,
  { route, maxBytes }: Question,
  secret: Redacted | undefined,
  { signal }: AskOptions,
): Promise<Response> {
  const url = new URL(route, baseAddress(worker.uri));
  const signature =
    secret === undefined
      ? {}
      : { ...(await identityHeaders(worker)), authorization: bearer(workerToken(secret, clock.now())) };
  try {
    return await egress.fetch(url, {
      group: "worker",
      headers: {
        accept: "application/json",
        ...signature,
      },
      project: worker.projectId,
      secretsFor: [url.origin],
      timeoutMs: worker.timeoutMs,
      maxBytes,
      signal,
    });
  } catch (error) {
    throw unanswered(worker, error, maxBytes);
  }
}
