// Reads a request's arguments as strictly as the platform, and more strictly where it is too lenient: an empty or
// misspelt value is refused, so that a client's mistake is noticed.
import { isRecord } from "./json";
import { argumentError, PlatformError } from "./platform-error";

export type Arguments = Readonly<Record<string, string>>;

/** The methods that accept a JSON body; others ignore its arguments. */
const JSON_METHODS = new Set([
  "auth.test",
  "conversations.open",
  "conversations.history",
  "chat.postMessage",
]);
const TRUE = new Set(["true", "1"]);
const FALSE = new Set(["false", "0"]);

export interface ReadArguments {
  readonly params: Arguments;
  /** The request's own error, returned after the request is recorded. */
  readonly problem: PlatformError | null;
}

/** Reads arguments from the query of a GET or the body of a POST, never both. */
export async function readArguments(request: Request, method: string): Promise<ReadArguments> {
  const query = new URL(request.url).searchParams;
  if (request.method === "GET") return found(query);
  if (query.has("token")) return bad(new PlatformError("not_authed"));
  if (request.method !== "POST") return bad(new PlatformError("invalid_http_method"));
  const body = await request.text();
  const [type = "", charset = ""] = (request.headers.get("content-type") ?? "").toLowerCase().split(/;\s*/);
  if (type === "application/x-www-form-urlencoded") return found(new URLSearchParams(body));
  if (type === "application/json") return jsonArguments(body, charset, method);
  if (body === "") return { params: {}, problem: null };
  return bad(new PlatformError(type === "" ? "missing_post_type" : "invalid_post_type"));
}

/** The token of the `Authorization` header, the only accepted place. */
export function bearerOf(request: Request): string | null {
  return /^Bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1] ?? null;
}

/** A required argument; throws `invalid_arguments` when it is absent or empty. */
export function required(params: Arguments, name: string): string {
  const value = params[name] ?? "";
  if (value === "") throw argumentError("invalid_arguments", `missing required field: ${name}`);
  return value;
}

/** An optional argument: undefined if its key is missing; an empty value is an error. */
export function optional(params: Arguments, name: string): string | undefined {
  const value = params[name];
  if (value === "") throw argumentError("invalid_arguments", `empty value for field: ${name}`);
  return value;
}

/** Lower-case `true` or `false` (or 1, 0); anything else is refused. */
export function flag(params: Arguments, name: string): boolean {
  const value = optional(params, name);
  if (value === undefined || FALSE.has(value)) return false;
  if (TRUE.has(value)) return true;
  throw argumentError("invalid_arguments", `not a boolean: ${name}`);
}

function found(search: URLSearchParams): ReadArguments {
  const params = Object.fromEntries(search);
  // Never in the address or the body, which logs and proxies may store.
  const problem = "token" in params ? new PlatformError("not_authed") : null;
  return { params, problem };
}

function jsonArguments(body: string, charset: string, method: string): ReadArguments {
  if (!JSON_METHODS.has(method)) return { params: {}, problem: null };
  if (charset.replaceAll('"', "") !== "charset=utf-8") return bad(new PlatformError("invalid_charset"));
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return bad(new PlatformError("invalid_json"));
  }
  if (!isRecord(value)) return bad(new PlatformError("json_not_object"));
  const params = Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plain(item)]));
  const problem = "token" in params ? new PlatformError("not_authed") : null;
  return { params, problem };
}

function plain(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value.join(",");
  return JSON.stringify(value);
}

function bad(problem: PlatformError): ReadArguments {
  return { params: {}, problem };
}
