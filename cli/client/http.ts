// The HTTP client of the commands: sends JSON and returns a record, or throws the server's error. The product's outbound
// client is for platforms and refuses loopback; this one connects only to the address that the user configured.
import { isLoopback } from "../../src/base/hosts";
import { isObject, parseJson } from "../../src/base/json";
import type { Config } from "../../src/config";
import { ERROR_NAMES, type ErrorName, type FieldError, notFound, RuntimeError } from "../../src/errors";
import type { Common } from "../command";
import { plainFetch } from "../plain-fetch";
import { askAgain } from "./again";
import { BodyTooSlow, limited } from "./body";
import type { Target } from "./target";
import { HINT, unreachable } from "./unreachable";

export type Query = {
  readonly [name: string]: string | number | boolean | readonly string[] | undefined;
};

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

/** A request, without its credential. */
interface Sent {
  method: string;
  path: string;
  body: string | undefined;
  headers: Record<string, string>;
  signal: AbortSignal;
}

export interface Server {
  readonly address: string;
  /** Limit of one request. */
  readonly timeoutMs: number;
  /** Asked again after a 502, 503 or 504, or a reset. `limitMs` is a lower limit of this request. */
  get<T>(path: string, query?: Query, limitMs?: number): Promise<T>;
  send<T>(method: "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<T>;
  /** The response as text, including error responses. */
  raw(method: string, path: string, body?: string, headers?: Record<string, string>): Promise<Answer>;
  /** The unread response, including error responses. `signal` replaces the time limit. */
  open(path: string, body: string, headers: Record<string, string>, signal?: AbortSignal): Promise<Response>;
  /** The same for a stream that lasts. */
  listen(path: string, headers: Record<string, string>, signal: AbortSignal): Promise<Response>;
  /** The events of a streamed response. */
  stream(path: string, body: object): Promise<ReadableStream<Uint8Array>>;
}

/** Longer than a server keeps a silent stream open. */
const IDLE_MS = 300_000;
/** Longer than a long poll, which lasts 59 s. */
const DEFAULT_TIMEOUT_S = 120;
/** More than any record or result of a server. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Connects to a server. If a project is configured explicitly, checks that the key belongs to it. */
export async function connect(common: Common, config: Config, target: Target): Promise<Server> {
  const server = serverAt(target, (common.timeout ?? DEFAULT_TIMEOUT_S) * 1000, config);
  if (config.originOf("project") === "default") return server;
  const { project } = config.settings;
  const caller = await server.get<{ project_id: string }>("/v1/caller");
  if (caller.project_id !== project) throw notFound(`There is no project "${project}".`);
  return server;
}

export function serverAt({ address, key, signIn }: Target, timeoutMs: number, config: Config): Server {
  const ca = config.certificateAuthorities();
  const send = (
    credential: string | undefined,
    { method, path, body, headers, signal }: Sent,
  ): Promise<Response> => {
    const authorization = credential === undefined ? {} : { authorization: `Bearer ${credential}` };
    const json = body === undefined ? {} : { "content-type": "application/json" };
    return plainFetch(address + path, {
      method,
      headers: { ...authorization, accept: "application/json", ...json, ...headers },
      signal,
      ...(body === undefined ? {} : { body }),
      ...(ca === undefined ? {} : { tls: { ca } }),
      bypassProxy: isLoopback(new URL(address).hostname),
    }).catch((error: unknown) => {
      throw unreachable(address, timeoutMs, error);
    });
  };
  const request = async (
    method: string,
    path: string,
    body?: string,
    headers: Record<string, string> = {},
    signal: AbortSignal = AbortSignal.timeout(timeoutMs),
  ): Promise<Response> => {
    const sent = { method, path, body, headers, signal };
    const token = key ?? (await signIn?.token());
    let response = await send(token, sent);
    // The token was revoked, or the clocks differ. The server has done nothing.
    if (response.status === 401 && key === undefined && token !== undefined && signIn !== undefined) {
      await response.body?.cancel();
      response = await send(await signIn.renewed(token), sent);
    }
    const translate = (error: unknown): RuntimeError => unreachable(address, timeoutMs, error);
    return limited(response, { mostBytes: MOST_BYTES, idleMs: IDLE_MS, translate });
  };
  const answerOf = async (response: Response): Promise<Answer> => {
    const text = await response.text().catch((error: unknown) => {
      throw unreachable(address, timeoutMs, error);
    });
    return { status: response.status, headers: response.headers, text };
  };
  const raw: Server["raw"] = async (method, path, body, headers) =>
    answerOf(await request(method, path, body, headers));
  const json = async <T>(method: string, path: string, body?: unknown, limitMs = timeoutMs): Promise<T> => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const signal = AbortSignal.timeout(Math.min(limitMs, timeoutMs));
    const answer = await answerOf(await request(method, path, text, {}, signal));
    // Checked border: tests compare the records of a server with its API description.
    return valueOf(address, answer) as T;
  };
  return {
    address,
    timeoutMs,
    get: (path, query, limitMs) =>
      askAgain(() => json("GET", path + textOf(query), undefined, limitMs), isWorthAsking),
    send: json,
    raw,
    open: (path, body, headers, signal) => request("POST", path, body, headers, signal),
    listen: (path, headers, signal) => request("GET", path, undefined, headers, signal),
    stream: async (path, body) => {
      // Only until the response begins; after that only the time without data is limited.
      const limit = new AbortController();
      const abort = (): void => limit.abort(new DOMException("too late", "TimeoutError"));
      const timer = setTimeout(abort, timeoutMs);
      const headers = { accept: "text/event-stream" };
      const response = await request("POST", path, JSON.stringify(body), headers, limit.signal).finally(() =>
        clearTimeout(timer),
      );
      if (response.ok && response.body !== null) return response.body;
      throw valueOf(address, await answerOf(response));
    },
  };
}

/** Statuses of proxies, and of a server that starts or stops. */
const TRANSIENT = [502, 503, 504];
const MOST_ATTEMPTS = 3;

// A timeout has used the time of the request up, and a server that refuses connections is not running: neither is repeated
// unless the command waits for something.
function isWorthAsking(attempts: number, error: unknown): boolean {
  if (attempts >= MOST_ATTEMPTS || !(error instanceof RuntimeError)) return false;
  return !isTimeout(error.cause) && !isRefused(error.cause);
}

function isTimeout(cause: unknown): boolean {
  return cause instanceof BodyTooSlow || (cause instanceof Error && cause.name === "TimeoutError");
}

function isRefused(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && /REFUSED/i.test(String(cause.code));
}

/** A path with its parameter escaped. Throws `not_found` for an id that would select another path. */
export function path(prefix: string, id: string): string {
  if (["", ".", ".."].includes(id)) throw notFound("There is no record with this id.");
  return prefix + encodeURIComponent(id);
}

function textOf(query: Query | undefined): string {
  const entries = Object.entries(query ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] satisfies [string, string]],
  );
  return entries.length === 0 ? "" : `?${new URLSearchParams(entries).toString()}`;
}

function valueOf(address: string, { status, headers, text }: Answer): unknown {
  if (status === 204) return undefined;
  let body: unknown;
  try {
    body = parseJson(text);
  } catch {
    body = undefined;
  }
  if (status >= 200 && status < 300 && body !== undefined) return body;
  if (isObject(body) && typeof body["name"] === "string" && typeof body["message"] === "string") {
    const name = errorNameOf(body["name"], status);
    const after = Number(headers.get("retry-after") ?? Number.NaN);
    throw new RuntimeError(name, status, body["message"], {
      shouldRetry: TRANSIENT.includes(status),
      ...(Array.isArray(body["field_errors"]) ? { fieldErrors: body["field_errors"] as FieldError[] } : {}),
      ...(Number.isNaN(after) ? {} : { retryAfterMs: after * 1000 }),
    });
  }
  throw new RuntimeError(
    "unavailable",
    502,
    `${address} answered ${status} without a valid record. ${HINT}`,
    {
      shouldRetry: TRANSIENT.includes(status),
    },
  );
}

const NAMES_BY_STATUS: { readonly [status: number]: ErrorName } = {
  401: "invalid_authorization",
  403: "forbidden",
  404: "not_found",
  409: "conflict",
  429: "rate_limited",
  504: "gateway_timeout",
};

/** The error name, or for a name that this version does not know, the one that fits its status. */
export function errorNameOf(name: string, status: number): ErrorName {
  const fallback = status < 500 ? "malformed_request" : "internal_error";
  return ERROR_NAMES.find((each) => each === name) ?? NAMES_BY_STATUS[status] ?? fallback;
}
