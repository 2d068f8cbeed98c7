// `oauth.v2.access` and `oauth.v2.user.access`: code exchange and refresh.
import type { Arguments } from "./arguments";
import { teamInstead } from "./behaviour/organization";
import type { Codes } from "./codes";
import type { JsonRecord } from "./json";
import { PlatformError } from "./platform-error";
import type { Grant, TokenPair, TokenStore } from "./tokens";
import { APP, type Workspace } from "./workspace";

export const TOKEN_METHODS: ReadonlySet<string> = new Set(["oauth.v2.access", "oauth.v2.user.access"]);

export interface TokenEndpoint {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly codes: Codes;
  readonly tokens: TokenStore;
  readonly workspace: Workspace;
  /** Whether a code exchange answers with the user's grant nested (the platform) or flat. */
  readonly shape: "nested" | "flat";
}

/** Answers a token request, without `ok`. The arguments come from a form body only. */
export function tokenAnswer(
  endpoint: TokenEndpoint,
  method: string,
  request: Request,
  params: Arguments,
): JsonRecord {
  // Credentials in an address end up in logs, and RFC 6749 section 4.1.3 requires a form, not JSON.
  const type = request.headers.get("content-type") ?? "";
  if (request.method !== "POST" || !type.toLowerCase().startsWith("application/x-www-form-urlencoded")) {
    throw new PlatformError("invalid_post_type");
  }
  checkClient(endpoint, request, params);
  const grantType = params["grant_type"] ?? "authorization_code";
  if (grantType === "refresh_token") return refreshAnswer(endpoint, params);
  if (grantType !== "authorization_code") throw new PlatformError("invalid_grant_type");
  return exchangeAnswer(endpoint, method, params);
}

function checkClient(endpoint: TokenEndpoint, request: Request, params: Arguments): void {
  const header = request.headers.get("authorization");
  const client = header === null ? fieldsOf(params) : basicOf(header);
  if (client.id !== endpoint.clientId) throw new PlatformError("invalid_client_id");
  if (client.secret !== endpoint.clientSecret) throw new PlatformError("bad_client_secret");
}

function fieldsOf(params: Arguments): { id: string; secret: string } {
  return { id: params["client_id"] ?? "", secret: params["client_secret"] ?? "" };
}

/** Both parts are form-encoded before they are joined (RFC 6749 section 2.3.1). */
function basicOf(header: string): { id: string; secret: string } {
  const encoded = /^Basic +([\w+/=-]+)$/i.exec(header)?.[1] ?? "";
  const [id = "", secret = ""] = Buffer.from(encoded, "base64").toString().split(":");
  return { id: formDecoded(id), secret: formDecoded(secret) };
}

function formDecoded(value: string): string {
  return new URLSearchParams(`v=${value.replaceAll("&", "%26")}`).get("v") ?? "";
}

function exchangeAnswer(endpoint: TokenEndpoint, method: string, params: Arguments): JsonRecord {
  const { tokens, workspace } = endpoint;
  const consent = endpoint.codes.redeem(
    params["code"] ?? "",
    params["redirect_uri"] ?? "",
    params["code_verifier"],
  );
  const bot =
    consent.botScopes.length === 0
      ? null
      : tokens.consent(workspace.people.robot.id, "bot", consent.botScopes);
  const user =
    consent.userScopes.length === 0 ? null : tokens.consent(consent.userId, "user", consent.userScopes);
  if (bot === null && user === null) throw new PlatformError("no_scopes");
  if (user !== null && (endpoint.shape === "flat" || method === "oauth.v2.user.access")) {
    return { ...common(workspace), ...grantFields(user, tokens.issue(user)), user_id: user.userId };
  }
  return {
    ...common(workspace),
    // Absent, not empty, without a requested bot scope: the user's own grant is only in `authed_user`.
    ...(bot === null ? {} : { ...grantFields(bot, tokens.issue(bot)), bot_user_id: bot.userId }),
    authed_user: {
      id: consent.userId,
      ...(user === null ? {} : grantFields(user, tokens.issue(user))),
    },
  };
}

function refreshAnswer(endpoint: TokenEndpoint, params: Arguments): JsonRecord {
  const { grant, pair } = endpoint.tokens.refresh(params["refresh_token"] ?? "");
  return { ...common(endpoint.workspace), ...grantFields(grant, pair) };
}

function common(workspace: Workspace): JsonRecord {
  return {
    app_id: APP.appId,
    team: teamOf(workspace),
    enterprise: workspace.organization,
    is_enterprise_install: workspace.organization !== null,
  };
}

/** An installation for a whole organization does not name a workspace. */
function teamOf({ organization, team }: Workspace): JsonRecord | null {
  if (organization === null) return { ...team };
  const id = teamInstead("team of the grant", organization.id);
  return id === null ? null : { id, name: organization.name };
}

function grantFields(grant: Grant, pair: TokenPair): JsonRecord {
  return {
    access_token: pair.accessToken,
    token_type: grant.holder,
    scope: [...grant.scopes].join(","),
    ...(pair.refreshToken === undefined ? {} : { refresh_token: pair.refreshToken }),
    ...(pair.expiresIn === undefined ? {} : { expires_in: pair.expiresIn }),
  };
}
