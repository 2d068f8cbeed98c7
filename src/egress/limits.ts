// Limits of time and size.
import { type Abortable, type Alarm, setAlarm } from "../base";
import type { KeyName } from "../config";
import { setting } from "./policy";
import { EgressError, type EgressRequest } from "./types";

/** The end of an exchange: by time, by the caller, or because it is over. */
export interface Deadline {
  signal: AbortSignal;
  /** Which of the two ended it, when one has. */
  ended(): "timeout" | "aborted" | undefined;
  /** The answer was read to its end: there is nothing left to drop, which costs more than all else here. */
  complete(): void;
  /** Something has come: the time starts again. */
  restart(): void;
  /** Drops what is still open, and the timer. */
  [Symbol.dispose](): void;
}

/** Real time, not the runtime's clock: what it limits is real too. */
export function startDeadline(timeoutMs: number, caller: Abortable | undefined): Deadline {
  const controller = new AbortController();
  let ended: "timeout" | "aborted" | undefined;
  let completed = false;
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
    [Symbol.dispose]() {
      alarm.cancel();
      caller?.removeEventListener("abort", abort);
      if (!completed) controller.abort();
    },
  };
}

/** Alarms are for few different lengths: what is left of a run's time has any. A long one may be a moment longer. */
function alarmMs(timeoutMs: number): number {
  return timeoutMs < 1000 ? timeoutMs : Math.ceil(timeoutMs / 100) * 100;
}

/** Time and size of one call, and what to say when they are reached. */
export interface Limits {
  deadline: Deadline;
  timeoutMs: number;
  maxBytes: number;
  /** What to do about a limit: only the operator's own can be raised by a setting. */
  timeoutAdvice(): string;
  sizeAdvice(): string;
}

/** The limits of a request, else the operator's. The caller disposes of the deadline. */
export function limitsOf(request: EgressRequest, defaults: { timeoutMs: number; maxBytes: number }): Limits {
  const timeoutMs = request.timeoutMs ?? defaults.timeoutMs;
  const advice = (own: boolean, key: KeyName): string =>
    own ? "Ask for less." : `Ask for less, or raise ${setting(key)}.`;
  return {
    deadline: startDeadline(timeoutMs, request.signal),
    timeoutMs,
    maxBytes: request.maxBytes ?? defaults.maxBytes,
    timeoutAdvice: () => advice(request.timeoutMs !== undefined, "egress.timeout"),
    sizeAdvice: () => advice(request.maxBytes !== undefined, "egress.max_bytes"),
  };
}

/**
 * Reads a body to its end. Bun decompresses piece by piece and only as fast as it is read, so a small answer that
 * unpacks to gigabytes (tried: 1 MB to 1 GB) ends at the limit. Throws `EgressError` `too_large`.
 */
export async function readBody(
  response: Response,
  { maxBytes, sizeAdvice }: Limits,
  origin: string,
): Promise<Uint8Array<ArrayBuffer> | string | null> {
  const tooLarge = (): EgressError => largerThan(maxBytes, sizeAdvice(), origin);
  const promised = promisedBytes(response.headers);
  // Bun reads no more than was promised; in one go this costs a third of reading piece by piece, and less again when
  // nobody has asked for the stream.
  if (promised <= maxBytes) {
    // Text read as text is not copied again by the answer that is made of it: 2 ms of 9 for 2 MB of JSON.
    return isUtf8(response.headers) ? await response.text() : new Uint8Array(await response.arrayBuffer());
  }
  if (promised !== Infinity) throw tooLarge();
  if (response.body === null) return null;
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body) {
    size += piece.byteLength;
    if (size > maxBytes) throw tooLarge();
    pieces.push(piece);
  }
  return Bun.concatArrayBuffers(pieces, size, true);
}

export function largerThan(maxBytes: number, advice: string, origin: string): EgressError {
  return new EgressError("too_large", `The answer of ${origin} is larger than ${maxBytes} bytes. ${advice}`, {
    maybeSent: true,
  });
}

/** JSON, which is always UTF-8 (RFC 8259 section 8.1). */
function isUtf8(headers: Headers): boolean {
  return /^application\/(?:[\w.+-]+\+)?json\s*(?:;\s*charset="?utf-8"?\s*)?$/i.test(
    headers.get("content-type") ?? "",
  );
}

/** Size of a body that is sent as it is; infinite when only reading tells. With chunks the length is not obeyed. */
function promisedBytes(headers: Headers): number {
  if (headers.has("content-encoding") || headers.has("transfer-encoding")) return Infinity;
  const length = headers.get("content-length") ?? "";
  return /^\d+$/.test(length) ? Number(length) : Infinity;
}
