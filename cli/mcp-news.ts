// The stream of a session at a gateway, on which a client hears of changes. It is opened again whenever it breaks.
import { eventData } from "./server-events";

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30_000;
/** The gateway has no streams, or the credential does not work: requests will say so. */
const FINAL: readonly number[] = [401, 403, 405];

export interface News {
  /** Opens the stream. `since`: the id of the last event of an earlier one. */
  open(since: string | undefined, signal: AbortSignal): Promise<Response>;
  /** Gets each message. */
  pass(text: string): void;
  ended: AbortSignal;
}

/** Resolves when it is ended, and when there is no stream. Never rejects. */
export async function hearNews({ open, pass, ended }: News): Promise<void> {
  let since: string | undefined;
  let waitMs = FIRST_WAIT_MS;
  while (!ended.aborted) {
    try {
      const response = await open(since, ended);
      if (response.ok && response.body !== null) {
        waitMs = FIRST_WAIT_MS;
        for await (const text of eventData(response.body, (id) => (since = id)))
          // An event without data only has an id.
          if (text !== "" && !ended.aborted) pass(text);
      } else await response.body?.cancel();
      if (FINAL.includes(response.status)) return;
    } catch {
      // The server is not reachable at the moment, or the stream broke.
    }
    await pause(waitMs, ended);
    waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS);
  }
}

async function pause(ms: number, ended: AbortSignal): Promise<void> {
  if (ended.aborted) return;
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, ms);
  ended.addEventListener("abort", () => over.resolve(), { once: true });
  await over.promise;
  clearTimeout(timer);
}
