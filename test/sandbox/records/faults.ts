// Injected faults: a queue per route, and the answer of each.
import type { Reply } from "../../../catalogs/sandbox/records";
import type { Fault } from "./types";

const LONGEST_DELAY_MS = 60_000;
const ERROR_PAGE =
  "<!DOCTYPE html><html><head><title>Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>";

export class Faults {
  readonly #waiting = new Map<string, { readonly fault: Fault; left: number }[]>();

  /** Queues a fault. `route`: one of the recorded names, or `*` for any. */
  add(route: string, fault: Fault, times: number): void {
    if (fault.kind === "slow" && !(fault.ms >= 0 && fault.ms <= LONGEST_DELAY_MS)) {
      throw new Error(`A delay lasts at most ${LONGEST_DELAY_MS} ms.`);
    }
    const queue = this.#waiting.get(route) ?? [];
    queue.push({ fault, left: times });
    this.#waiting.set(route, queue);
  }

  take(route: string): Fault | undefined {
    for (const name of [route, "*"]) {
      const entry = this.#waiting.get(name)?.find(({ left }) => left > 0);
      if (entry === undefined) continue;
      entry.left -= 1;
      return entry.fault;
    }
    return undefined;
  }

  clear(): void {
    this.#waiting.clear();
  }
}

/** The answer of a fault that replaces the work. Undefined if the request is handled. */
export function insteadOf(
  fault: Fault | undefined,
): { reply: Reply; code: number | string | null } | undefined {
  switch (fault?.kind) {
    case "rate_limit":
      return refusal(429, 2955, "message", "Too many calls.", retryHeader(fault.retryAfter));
    case "quota":
      return refusal(200, 4000, "message", "The calls of this day are used up.");
    case "refuse": {
      const textIn = fault.textIn === undefined ? "message" : fault.textIn;
      return refusal(fault.status, fault.code, textIn, fault.text ?? "Refused.");
    }
    case "oauth_error":
      return json(fault.status ?? 200, { error: fault.error }, fault.error);
    case "answer": {
      const headers = { "content-type": fault.type ?? "application/json;charset=UTF-8", ...fault.headers };
      return { reply: { status: fault.status ?? 200, headers, body: fault.body }, code: null };
    }
    case "server_error":
      return { reply: errorPage(fault.status ?? 500), code: null };
    default:
      return undefined;
  }
}

export function errorPage(status: number): Reply {
  return { status, headers: { "content-type": "text/html; charset=utf-8" }, body: ERROR_PAGE };
}

function refusal(
  status: number,
  code: number,
  textIn: "message" | "description" | null,
  text: string,
  headers: Record<string, string> = {},
) {
  return json(status, textIn === null ? { code } : { code, [textIn]: text }, code, headers);
}

function json(status: number, body: object, code: number | string, headers: Record<string, string> = {}) {
  const type = { "content-type": "application/json;charset=UTF-8" };
  return { reply: { status, headers: { ...type, ...headers }, body: JSON.stringify(body) }, code };
}

function retryHeader(retryAfter: number | Date | undefined): Record<string, string> {
  if (retryAfter === undefined) return {};
  return { "retry-after": retryAfter instanceof Date ? retryAfter.toUTCString() : String(retryAfter) };
}
