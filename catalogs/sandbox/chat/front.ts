// The server of the stand-in: checks tokens and scopes, runs methods.
import { bearerOf, readArguments, type ReadArguments } from "./arguments";
import type { RateWindows } from "./behaviour/rates";
import type { Codes } from "./codes";
import { decideConsent, showConsent, type ConsentSettings } from "./consent";
import { text, type JsonRecord } from "./json";
import type { Method } from "./methods/context";
import { conversationMethods } from "./methods/conversations";
import { messageMethods } from "./methods/messages";
import { openMethods } from "./methods/open";
import { userMethods } from "./methods/users";
import { PlatformError } from "./platform-error";
import { requireScopes } from "./scopes";
import { TOKEN_METHODS, tokenAnswer, type TokenEndpoint } from "./token-endpoint";
import type { TokenStore } from "./tokens";
import type { Interceptor, PageFault } from "./types";
import type { Workspace } from "./workspace";

const METHODS: Readonly<Record<string, Method>> = {
  ...userMethods,
  ...conversationMethods,
  ...messageMethods,
  ...openMethods,
};
const API = "/api/";
const AUTHORIZE = "/oauth/v2/authorize";

export interface FrontParts {
  readonly now: () => number;
  readonly workspace: Workspace;
  readonly tokens: TokenStore;
  readonly codes: Codes;
  readonly intercept: Interceptor | undefined;
  /** Null: calls are not counted. */
  readonly rates: RateWindows | null;
  /** Read at every request, because they may change. */
  readonly consent: () => ConsentSettings;
  readonly endpoint: () => TokenEndpoint;
}

interface Answer {
  readonly body: JsonRecord;
  readonly headers: Record<string, string>;
}

/** Answers one HTTP request. */
export async function answerRequest(parts: FrontParts, request: Request): Promise<Response> {
  const url = new URL(request.url);
  if (url.pathname.startsWith(API)) return apiRequest(parts, request, url.pathname.slice(API.length));
  if (url.pathname !== AUTHORIZE) return new Response("Not found.\n", { status: 404 });
  if (request.method === "GET") return showConsent(url.searchParams, parts.consent(), parts.workspace);
  if (request.method !== "POST") return new Response("Method not allowed.\n", { status: 405 });
  const form = new URLSearchParams(await request.text());
  return decideConsent(form, parts.consent(), parts.workspace, parts.codes);
}

async function apiRequest(parts: FrontParts, request: Request, method: string): Promise<Response> {
  const read = await readArguments(request, method);
  const token = bearerOf(request);
  const call = parts.intercept?.({
    method,
    verb: request.method,
    params: read.params,
    userId: parts.tokens.ownerOf(token),
    token,
    at: parts.now(),
  });
  const seconds = parts.rates?.refuse(method, read.params) ?? null;
  if (seconds !== null) {
    const refusal = rateLimited(seconds);
    return call?.after(refusal, "ratelimited") ?? refusal;
  }
  const instead = await call?.before(request.signal);
  if (instead !== undefined) return instead;
  const answer = await work(parts, request, method, read, call?.page ?? null);
  const error = answer.body["ok"] === true ? null : text(answer.body, "error");
  const response = Response.json(answer.body, { headers: answer.headers });
  return call?.after(response, error) ?? response;
}

/** Handles the request; a refusal is an answer too. */
async function work(
  parts: FrontParts,
  request: Request,
  method: string,
  read: ReadArguments,
  fault: PageFault | null,
): Promise<Answer> {
  const headers: Record<string, string> = { "cache-control": "private, no-cache, no-store" };
  try {
    if (read.problem !== null) throw read.problem;
    if (TOKEN_METHODS.has(method)) {
      const body = tokenAnswer(parts.endpoint(), method, request, read.params);
      return { body: { ok: true, ...body }, headers };
    }
    const rule = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
    if (rule === undefined) throw new PlatformError("unknown_method", { req_method: method });
    const { workspace, tokens } = parts;
    const token = bearerOf(request) ?? "";
    const caller = tokens.check(token === "" ? null : token);
    headers["x-oauth-scopes"] = caller.scopes.join(",");
    headers["x-accepted-oauth-scopes"] = rule.accepts.join(",");
    requireScopes(caller, rule.needs);
    const body = await rule.run({
      caller,
      token,
      params: renamed(read.params, [tokens.formerIds, workspace.formerConversations]),
      fault,
      workspace,
      tokens,
    });
    return { body: { ok: true, ...body }, headers };
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return { body: { ok: false, error: error.code, ...error.fields }, headers };
  }
}

/** `retryAfter`: in seconds; `null` omits the header. */
export function rateLimited(retryAfter: string | number | null): Response {
  const headers: Record<string, string> = retryAfter === null ? {} : { "retry-after": String(retryAfter) };
  return Response.json({ ok: false, error: "ratelimited" }, { status: 429, headers });
}

/** People and conversations of an earlier run had other ids, which callers may have stored. */
function renamed(
  params: Readonly<Record<string, string>>,
  former: readonly ReadonlyMap<string, string>[],
): Record<string, string> {
  const now = (value: string): string => former.find((ids) => ids.has(value))?.get(value) ?? value;
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, now(value)]));
}
