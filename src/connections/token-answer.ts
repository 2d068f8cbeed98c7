// Parses the answers of token endpoints: JSON or form-encoded, errors with HTTP 200, nested grants, `expires_in` as text,
// scopes as a list or as text with commas or spaces.
import { isObject, type Json, parseJson } from "../base";
import { parseExpression } from "../providers";

interface TokenRequestErrorOptions {
  code?: string;
  transient: boolean;
  retryAfterMs?: number;
  cause?: unknown;
}

/** Why there is no grant. */
export class TokenRequestError extends Error {
  override readonly name = "TokenRequestError";
  /** The provider's OAuth error code, if it returned one. */
  readonly code: string | undefined;
  /** A temporary failure, which says nothing about the grant. */
  readonly transient: boolean;
  /** How long no request for this grant should be sent. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: TokenRequestErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    this.transient = options.transient;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** A parsed answer, not yet validated. */
export type TokenAnswer =
  | { kind: "tokens"; tokens: StandardTokens; raw: Json }
  | { kind: "error"; error: string; description: string | undefined }
  /** The answer could not be parsed: the endpoint is broken or down. */
  | { kind: "unreadable"; status: number };

/** The members of RFC 6749 section 5.1. */
export interface StandardTokens {
  access_token: string;
  token_type: "bearer";
  refresh_token?: string;
  expires_in?: number;
  scope?: string;
}

type ResponseMap = Readonly<Record<string, string>>;

/** A longer lifetime is an error (a date, or milliseconds); the expiry of the token is then unknown. */
const MAX_EXPIRES_IN_S = 10 * 365 * 24 * 3600;

/** `tokenTypes`: what the provider calls its bearer tokens, besides `Bearer`. */
export function readTokenAnswer(
  { status, contentType, body }: { status: number; contentType: string; body: string },
  map: ResponseMap,
  tokenTypes: readonly string[] = [],
): TokenAnswer {
  const raw = parseBody(contentType, body);
  // The body of a failing endpoint says nothing about the grant.
  if (raw === undefined || status >= 500 || status === 408 || status === 429) {
    return { kind: "unreadable", status };
  }
  const pick = (target: string): Json | undefined => parseExpression(map[target] ?? `$.${target}`)(raw);
  const accessToken = pick("access_token");
  if (typeof accessToken !== "string" || accessToken === "") return errorOf(raw, status);
  // A token of a type that is not understood must not be used (RFC 6749, section 7.1).
  const type = pick("token_type");
  const isBearer =
    typeof type !== "string" || type === "" || /^bearer$/i.test(type.trim()) || tokenTypes.includes(type);
  if (!isBearer) return { kind: "error", error: "unsupported_token_type", description: undefined };
  const refreshToken = pick("refresh_token");
  const expiresIn = seconds(pick("expires_in"));
  const scope = scopeText(pick("scope"));
  const tokens: StandardTokens = { access_token: accessToken, token_type: "bearer" };
  if (typeof refreshToken === "string" && refreshToken !== "") tokens.refresh_token = refreshToken;
  if (expiresIn !== undefined) tokens.expires_in = expiresIn;
  if (scope !== undefined) tokens.scope = scope;
  return { kind: "tokens", tokens, raw };
}

function parseBody(contentType: string, body: string): Json | undefined {
  const text = body.trim();
  if (text.startsWith("{") || text.startsWith("[")) {
    try {
      return parseJson(text);
    } catch {
      return undefined;
    }
  }
  // Some endpoints always answer form-encoded, and not all of them with the right content type.
  const declared = /x-www-form-urlencoded/i.test(contentType) && !text.startsWith("<");
  const form = text !== "" && (declared || /^[\w.~%+-]+=[^<>\s]*(&|$)/.test(text));
  return form ? Object.fromEntries(new URLSearchParams(text)) : undefined;
}

function errorOf(raw: Json, status: number): TokenAnswer {
  const error = isObject(raw) ? raw["error"] : undefined;
  if (!isObject(raw) || typeof error !== "string" || error === "") {
    return status >= 400
      ? { kind: "unreadable", status }
      : {
          kind: "error",
          error: "no_access_token",
          description: "the answer contains no access token for the user",
        };
  }
  const description = raw["error_description"];
  return { kind: "error", error, description: typeof description === "string" ? description : undefined };
}

/** A lifetime in seconds; undefined if it is missing, not positive, or too long. */
export function seconds(value: Json | undefined): number | undefined {
  const number = typeof value === "string" && /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : value;
  if (typeof number !== "number" || !Number.isFinite(number)) return undefined;
  return number > 0 && number <= MAX_EXPIRES_IN_S ? Math.floor(number) : undefined;
}

function scopeText(value: Json | undefined): string | undefined {
  if (Array.isArray(value)) return value.filter((item) => typeof item === "string").join(" ");
  return typeof value === "string" ? value : undefined;
}

/** The scopes of a text, separated by spaces or commas, without duplicates. */
export function splitScopes(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((scope) => scope !== ""))];
}
