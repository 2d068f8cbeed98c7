// Limits of time and size.
import { type Abortable, type Alarm, setAlarm } from "../base";
import type { KeyName } from "../config";
import { setting } from "./policy";
import { EgressError, type EgressRequest } from "./types";

/** Ends an exchange: on timeout, when the caller aborts, or when it is complete. */
export interface Deadline {
  signal: AbortSignal;
  /** Whether a timeout or the caller ended it, if one did. */
  ended(): "timeout" | "aborted" | undefined;
  /** The response was read to its end. Skips the abort on disposal, which is expensive. */
  complete(): void;
  /** Restarts the timeout, when data has arrived. */
  restart(): void;
  /** Called once, on disposal. */
  onDispose(release: () => void): void;
  /** Aborts an incomplete exchange and clears the timer. */
  [Symbol.dispose](): void;
}

/** Uses real time, not the runtime's clock. */
export function startDeadline(timeoutMs: number, caller: Abortable | undefined): Deadline {
  const controller = new AbortController();
  let ended: "timeout" | "aborted" | undefined;
  let completed = false;
  let released = (): void => undefined;
  const end = (why: "timeout" | "aborted"): void => {
    ended ??= why;
    controller.abort();
  };
  const abort = (): void => end("aborted");
  const start = (): Alarm => setAlarm(alarmMs(timeoutMs), () => end("timeout"));
  let alarm = start();
  if (caller?.aborted) abort();
  caller?.addEventListener("abort", abort);
  return {
    signal: controller.signal,
    ended: () => ended,
    complete: () => {
      completed = true;
    },
    restart: () => {
      alarm.cancel();
      alarm = start();
    },
    onDispose: (release) => {
      released = release;
    },
    [Symbol.dispose]() {
      released();
      released = () => undefined;
      alarm.cancel();
      caller?.removeEventListener("abort", abort);
      if (!completed) controller.abort();
    },
  };
}

/** Alarms are efficient for few different durations; the remaining time of a run is arbitrary, so it is rounded up. */
function alarmMs(timeoutMs: number): number {
  return timeoutMs < 1000 ? timeoutMs : Math.ceil(timeoutMs / 100) * 100;
}

/** Larger bodies are received only when there is memory for them. */
const SMALL_BODY = 1024 * 1024;

/** Memory that a body has taken. */
export interface TakenMemory {
  /** Gives back what the body turned out not to need. */
  fit(bytes: number): void;
  release(): void;
}

/** Limits of time and size of one call, with the advice for error messages. */
export interface Limits {
  deadline: Deadline;
  timeoutMs: number;
  maxBytes: number;
  /** Waits for memory for a large body. */
  takeMemory(bytes: number): Promise<Pick<TakenMemory, "fit">>;
  /** Only the operator's limits can be raised by a setting. */
  timeoutAdvice(): string;
  sizeAdvice(): string;
}

/** The limits of the request, or else those of the operator. The caller disposes of the deadline. */
export function limitsOf(
  request: EgressRequest,
  defaults: { timeoutMs: number; maxBytes: number },
  takeMemory: (bytes: number, deadline: Deadline) => Promise<Pick<TakenMemory, "fit">>,
): Limits {
  const timeoutMs = request.timeoutMs ?? defaults.timeoutMs;
  const advice = (own: boolean, key: KeyName): string =>
    own ? "Ask for less." : `Ask for less, or raise ${setting(key)}.`;
  const deadline = startDeadline(timeoutMs, request.signal);
  return {
    deadline,
    takeMemory: (bytes) => takeMemory(bytes, deadline),
    timeoutMs,
    maxBytes: request.maxBytes ?? defaults.maxBytes,
    timeoutAdvice: () => advice(request.timeoutMs !== undefined, "egress.timeout"),
    sizeAdvice: () => advice(request.maxBytes !== undefined, "egress.max_bytes"),
  };
}

/**
 * Reads a body to its end. Bun decompresses incrementally, as fast as the body is read, so a small response that
 * decompresses to gigabytes stops at the limit (tested with 1 MB to 1 GB). Throws `EgressError` `too_large`.
 */
export async function readBody(
  response: Response,
  { maxBytes, sizeAdvice, takeMemory }: Limits,
  origin: string,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const tooLarge = (): EgressError => largerThan(maxBytes, sizeAdvice(), origin);
  const declared = declaredBytes(response.headers);
  if (declared > maxBytes && declared !== Infinity) throw tooLarge();
  if (declared <= maxBytes) {
    if (declared > SMALL_BODY) await takeMemory(declared);
    // Bun reads no more than the declared length. Reading at once takes a third of the time of reading chunks.
    return new Uint8Array(await response.arrayBuffer());
  }
  if (response.body === null) return null;
  const chunks: Uint8Array[] = [];
  let size = 0;
  let memory: Pick<TakenMemory, "fit"> | undefined;
  for await (const chunk of response.body) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge();
    // It may become as large as the limit.
    if (size > SMALL_BODY) memory ??= await takeMemory(maxBytes);
    chunks.push(chunk);
  }
  memory?.fit(size);
  return Bun.concatArrayBuffers(chunks, size, true);
}

export function largerThan(maxBytes: number, advice: string, origin: string): EgressError {
  return new EgressError("too_large", `The answer of ${origin} is larger than ${maxBytes} bytes. ${advice}`, {
    maybeSent: true,
  });
}

/** The declared size of an unencoded body, or infinite. With a transfer encoding, the length is ignored. */
function declaredBytes(headers: Headers): number {
  if (headers.has("content-encoding") || headers.has("transfer-encoding")) return Infinity;
  const length = headers.get("content-length") ?? "";
  return /^\d+$/.test(length) ? Number(length) : Infinity;
}
