// The body of a request: counted and timed while it is read, so that the refusal is ours and says why.
import { isObject, type Json, parseJson, setAlarm } from "../src/base";
import type { Settings } from "../src/config";
import { malformedRequest, requestTooLarge, unsupportedMediaType } from "../src/errors";
import type { Awaitable } from "../src/store";

export interface BodyLimits {
  maxBytes: number;
  timeoutMs: number;
}

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;
const NUL_ESCAPE = /(?:^|[^\\])(?:\\\\)*\\u0000/;
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;
const MAX_DEPTH = 200;

/** The limits of a deployment. */
export function bodyLimits(settings: Settings): BodyLimits {
  return { maxBytes: settings["http.body_limit"], timeoutMs: settings["http.body_timeout"] * 1000 };
}

/** Size of a body by its head: 0 where there is none, undefined when only reading tells. */
export function promisedBytes(headers: Headers): number | undefined {
  if (headers.has("transfer-encoding")) return undefined;
  const length = headers.get("content-length") ?? "0";
  return /^\d+$/.test(length) ? Number(length) : undefined;
}

/** A body as it came, and what it says. */
export interface JsonBody {
  text: string;
  value: Json;
}

/**
 * The JSON of a body. Throws `unsupported_media_type`, `request_too_large`, or `malformed_request` for text that is
 * late, not UTF-8, not JSON, nested beyond reason, or holds what no text of ours may. No message repeats any of it.
 */
export async function readJsonBody(request: Request, limits: BodyLimits): Promise<Json> {
  return useJsonBody(request, limits, promisedBytes(request.headers), ({ value }) => value);
}

/** The same, and what is made of it with its text. What the head of the request tells is thrown at once. */
export function useJsonBody<T>(
  request: Request,
  limits: BodyLimits,
  promised: number | undefined,
  use: (body: JsonBody) => Awaitable<T>,
): Promise<T> {
  if (!JSON_TYPE.test(request.headers.get("content-type") ?? "")) {
    const refusal = unsupportedMediaType(
      "The body must be JSON: send it with content-type: application/json.",
    );
    if (promised !== undefined) throw refusal;
    // Only reading tells whether there is a body whose type could be wrong.
    return useBytes(request, limits, promised, ({ byteLength }) => {
      throw byteLength === 0 ? bodyMissing() : refusal;
    });
  }
  return useBytes(request, limits, promised, (bytes) => use(jsonOf(bytes)));
}

export function bodyMissing(): Error {
  return malformedRequest("The request needs a JSON body.");
}

function jsonOf(bytes: Uint8Array): JsonBody {
  const text = decode(bytes);
  if (nestedTooDeep(text)) throw malformedRequest(`The body is nested deeper than ${MAX_DEPTH} levels.`);
  // Most bodies escape no letter at all.
  const escapes = text.includes("\\u");
  if (escapes && NUL_ESCAPE.test(text)) throw malformedRequest("The body holds the NUL character.");
  const value = parse(text);
  // Stored, each lone half becomes U+FFFD: two different user ids would be the same.
  if (escapes && SURROGATE_ESCAPE.test(text) && !isWellFormed(value)) {
    throw malformedRequest("The body holds half of a surrogate pair.");
  }
  return { text, value };
}

/** The text of a body of any type. Throws `request_too_large`, or `malformed_request` when it is late or not UTF-8. */
export async function readText(request: Request, limits: BodyLimits): Promise<string> {
  return useBytes(request, limits, promisedBytes(request.headers), decode);
}

function useBytes<T>(
  request: Request,
  { maxBytes, timeoutMs }: BodyLimits,
  promised: number | undefined,
  use: (bytes: Uint8Array) => Awaitable<T>,
): Promise<T> {
  const tooLarge = (): Error =>
    requestTooLarge(`The body is larger than ${maxBytes} bytes (setting http.body_limit).`);
  if (promised === undefined) return readPiecesInTime(request, maxBytes, timeoutMs, tooLarge).then(use);
  if (promised > maxBytes) throw tooLarge();
  // Bun reads no more than was promised; in one go this costs a tenth of reading piece by piece.
  return useInTime(request.bytes(), timeoutMs, use);
}

// One promise for all of it: every further one costs a write as much as a look into a header.
function useInTime<T>(
  work: Promise<Uint8Array>,
  timeoutMs: number,
  use: (bytes: Uint8Array) => Awaitable<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const alarm = setAlarm(timeoutMs, () => reject(tooLate()));
    work.then(
      (bytes) => {
        alarm.cancel();
        try {
          resolve(use(bytes));
        } catch (error) {
          reject(error);
        }
      },
      (error: unknown) => {
        alarm.cancel();
        reject(error);
      },
    );
  });
}

async function readPiecesInTime(
  request: Request,
  maxBytes: number,
  timeoutMs: number,
  tooLarge: () => Error,
): Promise<Uint8Array> {
  const late = Promise.withResolvers<never>();
  const alarm = setAlarm(timeoutMs, () => late.reject(tooLate()));
  try {
    return await readPieces(request, maxBytes, tooLarge, late.promise);
  } finally {
    alarm.cancel();
  }
}

function tooLate(): Error {
  return malformedRequest("The body did not arrive in time.");
}

/** A body whose size nobody promised. */
async function readPieces(
  request: Request,
  maxBytes: number,
  tooLarge: () => Error,
  late: Promise<never>,
): Promise<Uint8Array> {
  const reader = request.body?.getReader();
  if (reader === undefined) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    while (true) {
      const { done, value } = await Promise.race([reader.read(), late]);
      if (done) return Buffer.concat(chunks);
      size += value.byteLength;
      if (size > maxBytes) throw tooLarge();
      chunks.push(value);
    }
  } catch (error) {
    reader.cancel().catch(() => undefined);
    throw error;
  }
}

function parse(text: string): Json {
  try {
    return parseJson(text);
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

/** Counts brackets outside of strings, before any parser recurses into them. */
function nestedTooDeep(text: string): boolean {
  if (text.length <= MAX_DEPTH) return false;
  let depth = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (quoted) {
      if (code === 0x5c) index++;
      else if (code === 0x22) quoted = false;
    } else if (code === 0x22) quoted = true;
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > MAX_DEPTH) return true;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return false;
}
