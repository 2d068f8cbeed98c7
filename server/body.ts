// Reads the body of a request within the limits of size and time.
import { exceededLimit, isObject, type Json, parseShallowJson, setAlarm } from "../src/base";
import type { Settings } from "../src/config";
import { malformedRequest, requestTooLarge, unsupportedMediaType } from "../src/errors";

export interface BodyLimits {
  maxBytes: number;
  timeoutMs: number;
}

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;
const NUL_ESCAPE = /(?:^|[^\\])(?:\\\\)*\\u0000/;
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;
// A body of few bytes for each value takes far longer to check and to store than its size promises.
const LIMITS = { depth: 200, members: 5_000, keys: 100_000, entries: 100_000 };
const EXCEEDED = {
  depth: `The body is nested deeper than ${LIMITS.depth} levels.`,
  members: `An object of the body has more than ${LIMITS.members} keys.`,
  keys: `The body has more than ${LIMITS.keys} keys.`,
  entries: `The body has more than ${LIMITS.entries} list entries.`,
};

/** The limits of a deployment. */
export function bodyLimits(settings: Settings): BodyLimits {
  return { maxBytes: settings["http.body_limit"], timeoutMs: settings["http.body_timeout"] * 1000 };
}

/** Size of a body according to the headers: 0 without a body, undefined when only reading it tells. */
export function promisedBytes(headers: Headers): number | undefined {
  if (headers.has("transfer-encoding")) return undefined;
  const length = headers.get("content-length") ?? "0";
  return /^\d+$/.test(length) ? Number(length) : undefined;
}

/** The text of a body, and its value. */
export interface JsonBody {
  text: string;
  value: Json;
}

/**
 * The JSON of a body. Throws `unsupported_media_type` (also for a compressed one), `request_too_large`, or `malformed_request` for a body that is
 * late, not UTF-8, not JSON, nested too deeply or too large in number, or has characters that are not allowed. No message repeats any of it.
 */
export async function readJsonBody(request: Request, limits: BodyLimits): Promise<JsonBody> {
  refuseCoding(request.headers);
  if (JSON_TYPE.test(request.headers.get("content-type") ?? ""))
    return jsonOf(await readBytes(request, limits));
  // Without a content length only reading shows whether there is a body at all.
  const absent =
    promisedBytes(request.headers) === undefined && (await readBytes(request, limits)).byteLength === 0;
  throw absent
    ? bodyMissing()
    : unsupportedMediaType("The body must be JSON: send it with content-type: application/json.");
}

/** Compressed bodies are not taken: a small one could become a large one. `Accept-Encoding`: RFC 9110, section 12.5.3. */
function refuseCoding(headers: Headers): void {
  const header = headers.get("content-encoding");
  if (header === null) return;
  const codings = header.split(",").map((coding) => coding.trim().toLowerCase());
  if (codings.every((coding) => coding === "" || coding === "identity")) return;
  throw unsupportedMediaType("The body is compressed. Send it without Content-Encoding.", {
    headers: { "accept-encoding": "identity" },
  });
}

export function bodyMissing(): Error {
  return malformedRequest("The request needs a JSON body.");
}

function jsonOf(bytes: Uint8Array): JsonBody {
  const text = decode(bytes);
  const exceeded = exceededLimit(text, LIMITS);
  if (exceeded !== undefined) throw malformedRequest(EXCEEDED[exceeded]);
  // Most bodies have no escapes.
  const escapes = text.includes("\\u");
  if (escapes && NUL_ESCAPE.test(text)) throw malformedRequest("The body contains the NUL character.");
  const value = parse(text);
  // The store turns a lone surrogate into U+FFFD, so that two different user ids would be equal.
  if (escapes && SURROGATE_ESCAPE.test(text) && !isWellFormed(value)) {
    throw malformedRequest("The body contains half of a surrogate pair.");
  }
  return { text, value };
}

/** The fields of a form of one of our pages. Throws as `readText` does. */
export async function readForm(
  request: Request,
  settings: Settings,
  maxBytes: number,
): Promise<URLSearchParams> {
  return new URLSearchParams(await readText(request, { ...bodyLimits(settings), maxBytes }));
}

/** The text of a body of any type. Throws `request_too_large`, or `malformed_request` when it is late or not UTF-8. */
export async function readText(request: Request, limits: BodyLimits): Promise<string> {
  refuseCoding(request.headers);
  return decode(await readBytes(request, limits));
}

async function readBytes(request: Request, { maxBytes, timeoutMs }: BodyLimits): Promise<Uint8Array> {
  const promised = promisedBytes(request.headers);
  if (promised !== undefined && promised > maxBytes) throw tooLarge(maxBytes);
  const late = Promise.withResolvers<never>();
  const alarm = setAlarm(timeoutMs, () => late.reject(malformedRequest("The body did not arrive in time.")));
  try {
    // Bun reads no more than was promised. Reading it at once costs a tenth of reading it piece by piece.
    return await (promised === undefined
      ? readPieces(request, maxBytes, late.promise)
      : Promise.race([request.bytes(), late.promise]));
  } finally {
    alarm.cancel();
  }
}

function tooLarge(maxBytes: number): Error {
  return requestTooLarge(`The body is larger than ${maxBytes} bytes (setting http.body_limit).`);
}

/** Reads a body of unknown size. */
async function readPieces(request: Request, maxBytes: number, late: Promise<never>): Promise<Uint8Array> {
  const reader = request.body?.getReader();
  if (reader === undefined) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    while (true) {
      const { done, value } = await Promise.race([reader.read(), late]);
      if (done) return Buffer.concat(chunks);
      size += value.byteLength;
      if (size > maxBytes) throw tooLarge(maxBytes);
      chunks.push(value);
    }
  } catch (error) {
    reader.cancel().catch(() => undefined);
    throw error;
  }
}

function parse(text: string): Json {
  try {
    return parseShallowJson(text);
  } catch {
    throw malformedRequest("The body is not valid JSON.");
  }
}

function isWellFormed(value: Json): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (Array.isArray(value)) return value.every(isWellFormed);
  if (!isObject(value)) return true;
  return Object.entries(value).every(([key, inner]) => key.isWellFormed() && isWellFormed(inner));
}

const UTF_8 = new TextDecoder("utf-8", { fatal: true });

function decode(bytes: Uint8Array): string {
  try {
    return UTF_8.decode(bytes);
  } catch {
    throw malformedRequest("The body is not valid UTF-8.");
  }
}
