// A server as a command sees it: JSON goes out, a record or the server's own error comes back. The product's outbound
// client is for platforms and refuses loopback; this talks only to the one address that the person named.
import { isLoopback } from "../../src/base/hosts";
import { isObject, parseJson } from "../../src/base/json";
import type { Config } from "../../src/config";
import { type ErrorName, type FieldError, notFound, RuntimeError } from "../../src/errors";
import type { Common } from "../command";
import { plainFetch } from "../plain-fetch";
import { statusName } from "./error-names";
import type { Target } from "./target";

export type Query = {
  readonly [name: string]: string | number | boolean | readonly string[] | undefined;
};

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

export interface Server {
  readonly address: string;
  get<T>(path: string, query?: Query): Promise<T>;
  send<T>(method: "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<T>;
  /** Whatever the server answers, as text, errors too. */
  raw(method: string, path: string, body?: string, headers?: Record<string, string>): Promise<Answer>;
  /** An answer as it comes, errors too. */
  open(path: string, body: string, headers: Record<string, string>): Promise<Response>;
  /** The events of an answer that streams. */
  stream(path: string, body: object): Promise<ReadableStream<Uint8Array>>;
}

/** Longest time that a request may take; a long poll lasts 59 s, a tool at most an hour by its own limit. */
const DEFAULT_TIMEOUT_S = 120;

/** A server, and when a project was named explicitly, the certainty that the key belongs to it. */
export async function connect(common: Common, config: Config, target: Target): Promise<Server> {
  const server = serverAt(target, (common.timeout ?? DEFAULT_TIMEOUT_S) * 1000, config);
  if (config.originOf("project") === "default") return server;
  const { project } = config.settings;
  const caller = await server.get<{ project_id: string }>("/v1/caller");
  if (caller.project_id !== project) throw notFound(`There is no project "${project}".`);
  return server;
}

export function serverAt({ address, key }: Target, timeoutMs: number, config: Config): Server {
  const ca = config.certificateAuthorities();
  const request = async (
    method: string,
    path: string,
    body?: string,
    headers: Record<string, string> = {},
    signal: AbortSignal = AbortSignal.timeout(timeoutMs),
  ): Promise<Response> => {
    const credential = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const json = body === undefined ? {} : { "content-type": "application/json" };
    return plainFetch(address + path, {
      method,
      headers: { ...credential, accept: "application/json", ...json, ...headers },
      signal,
      ...(body === undefined ? {} : { body }),
      ...(ca === undefined ? {} : { tls: { ca } }),
      pastProxy: isLoopback(new URL(address).hostname),
    }).catch((error: unknown) => {
      throw unreachable(address, timeoutMs, error);
    });
  };
  const answerOf = async (response: Response): Promise<Answer> => {
    const text = await response.text().catch((error: unknown) => {
      throw unreachable(address, timeoutMs, error);
    });
    return { status: response.status, headers: response.headers, text };
  };
  const raw: Server["raw"] = async (method, path, body, headers) =>
    answerOf(await request(method, path, body, headers));
  const json = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await raw(method, path, body === undefined ? undefined : JSON.stringify(body));
    // A server of this very product: its records are checked against its own description by tests.
    return valueOf(address, answer) as T;
  };
  return {
    address,
    get: (path, query) => json("GET", path + textOf(query)),
    send: json,
    raw,
    open: (path, body, headers) => request("POST", path, body, headers),
    stream: async (path, body) => {
      // Until it begins: from then on the server itself cuts off what is silent for too long.
      const limit = new AbortController();
      const late = (): void => limit.abort(new DOMException("too late", "TimeoutError"));
      const timer = setTimeout(late, timeoutMs);
      const headers = { accept: "text/event-stream" };
      const response = await request("POST", path, JSON.stringify(body), headers, limit.signal).finally(() =>
        clearTimeout(timer),
      );
      if (response.ok && response.body !== null) return response.body;
      throw valueOf(address, await answerOf(response));
    },
  };
}

/** A path with its parameter escaped. Throws `not_found` for what would lead elsewhere: no id looks like that. */
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
    const name = statusName(body["name"], status);
    const after = Number(headers.get("retry-after") ?? Number.NaN);
    throw new RuntimeError(name, status, body["message"], {
      ...(Array.isArray(body["field_errors"]) ? { fieldErrors: body["field_errors"] as FieldError[] } : {}),
      ...(Number.isNaN(after) ? {} : { retryAfterMs: after * 1000 }),
    });
  }
  const name: ErrorName = "unavailable";
  const hint = "Is this the address of a runtime server? See: runtime --help (--server)";
  throw new RuntimeError(name, 502, `${address} answered ${status} without a record of ours. ${hint}`);
}

function unreachable(address: string, timeoutMs: number, error: unknown): RuntimeError {
  const name = error instanceof Error ? error.name : "";
  if (name === "TimeoutError") {
    const message = `${address} did not answer within ${timeoutMs / 1000} s. A longer time is set with --timeout.`;
    return new RuntimeError("gateway_timeout", 504, message, { cause: error });
  }
  const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
  const message = `${address} cannot be reached${code}. ${adviceOn(code)}`;
  return new RuntimeError("unavailable", 503, message, { cause: error });
}

function adviceOn(code: string): string {
  if (code.includes("ALTNAME") || code.includes("HOSTNAME_MISMATCH"))
    return "Its certificate is for another name: use the name that it is for.";
  if (/CERT|SELF_SIGNED|UNABLE_TO_/.test(code))
    return "Its certificate is not trusted: set RUNTIME_EGRESS_CA_FILE to the file with that of its authority.";
  return "Check the address, the network and that the server runs.";
}
