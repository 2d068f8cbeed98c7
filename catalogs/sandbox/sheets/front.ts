// The server of the stand-in: passes requests to their handlers.
import { asksForGzip } from "./behaviour/compression";
import type { Library } from "./drive/library";
import { answerCall, methodAt } from "./interface";
import type { Codes } from "./oauth/codes";
import { type ConsentSettings, decideConsent, showConsent } from "./oauth/consent";
import { answerRevocation, answerToken, type TokenEndpoint } from "./oauth/token-endpoint";
import type { TokenStore } from "./oauth/tokens";
import { answerUserInfo } from "./oauth/userinfo";
import type { Browsers } from "./picker/frame";
import { answerBrowser } from "./picker/front";
import { PlatformError } from "./platform-error";
import type { Quotas } from "./quotas";
import type { Interceptor, PageFault } from "./types";

export const PATHS = {
  authorize: "/o/oauth2/v2/auth",
  token: "/token",
  revoke: "/revoke",
  userinfo: "/v1/userinfo",
  certs: "/oauth2/v3/certs",
} as const;

/** Longer answers are compressed if the client accepts it. */
const COMPRESS_FROM = 1024;

export interface FrontParts {
  readonly now: () => number;
  readonly library: Library;
  readonly tokens: TokenStore;
  readonly codes: Codes;
  readonly quotas: Quotas;
  readonly intercept: Interceptor | undefined;
  readonly endpoint: TokenEndpoint;
  readonly browsers: Browsers;
  readonly sendEmpty: boolean;
  /** Read at every request, because it may change. */
  readonly consent: () => ConsentSettings;
}

/** Answers one HTTP request. */
export async function answerRequest(parts: FrontParts, request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  if (pathname === PATHS.certs) return Response.json(await parts.endpoint.idTokens.keySet());
  const page = answerBrowser(parts, request, pathname);
  if (page !== undefined) return page;
  if (pathname !== PATHS.authorize) return apiRequest(parts, request, pathname);
  if (request.method === "GET") return showConsent(searchParams, parts.consent(), parts.library);
  if (request.method !== "POST") return new Response("Method not allowed.\n", { status: 405 });
  const form = new URLSearchParams(await request.text());
  return decideConsent(form, parts.consent(), parts.library, parts.codes);
}

async function apiRequest(parts: FrontParts, request: Request, pathname: string): Promise<Response> {
  const text = await request.text();
  const token = bearerOf(request);
  const call = parts.intercept?.({
    method: nameOf(request, pathname, text),
    verb: request.method,
    path: pathname,
    query: Object.fromEntries(new URL(request.url).searchParams),
    body: readable(request, text),
    headers: Object.fromEntries(request.headers),
    person: parts.tokens.ownerOf(token),
    token,
    at: parts.now(),
  });
  const instead = await call?.before(request.signal);
  if (instead !== undefined) return instead;
  const answer = await work(parts, request, pathname, text, token, call?.page ?? null);
  return call?.after(answer) ?? answer;
}

async function work(
  parts: FrontParts,
  request: Request,
  pathname: string,
  text: string,
  token: string | null,
  fault: PageFault | null,
): Promise<Response> {
  const caller = parts.tokens.check(token);
  if (pathname === PATHS.token) return answerToken(parts.endpoint, request, new URLSearchParams(text));
  if (pathname === PATHS.revoke) return answerRevocation(parts.tokens, request, new URLSearchParams(text));
  if (pathname === PATHS.userinfo && request.method === "GET") return answerUserInfo(caller);
  const found = methodAt(request.method, pathname);
  if (found === undefined) return notFound();
  try {
    const body = answerCall({ ...parts, found, request, text, caller, hasToken: token !== null, fault });
    return compressed(request, JSON.stringify(body));
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return Response.json(error.body(), { status: error.code });
  }
}

function nameOf(request: Request, pathname: string, text: string): string {
  if (pathname === PATHS.token) {
    return new URLSearchParams(text).get("grant_type") === "refresh_token" ? "refresh" : "token";
  }
  if (pathname === PATHS.revoke) return "revoke";
  if (pathname === PATHS.userinfo) return "userinfo";
  return methodAt(request.method, pathname)?.method.id ?? "unknown";
}

function readable(request: Request, text: string): unknown {
  if (text === "") return null;
  const type = request.headers.get("content-type") ?? "";
  if (type.startsWith("application/x-www-form-urlencoded"))
    return Object.fromEntries(new URLSearchParams(text));
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function bearerOf(request: Request): string | null {
  return /^Bearer (\S+)$/.exec(request.headers.get("authorization") ?? "")?.[1] ?? null;
}

function compressed(request: Request, text: string): Response {
  const headers = { "content-type": "application/json; charset=UTF-8" };
  if (!asksForGzip(request.headers) || text.length < COMPRESS_FROM) return new Response(text, { headers });
  return new Response(Bun.gzipSync(text), { headers: { ...headers, "content-encoding": "gzip" } });
}

/** Unknown addresses get an HTML page. */
function notFound(): Response {
  const page = "<!DOCTYPE html><title>Error 404 (Not Found)!!1</title>";
  return new Response(page, { status: 404, headers: { "content-type": "text/html; charset=UTF-8" } });
}
