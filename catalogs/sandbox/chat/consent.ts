// The consent page, `GET` and `POST /oauth/v2/authorize`.
//
// Its form, for tests and browser drivers: method POST, hidden fields that repeat the request, and one button each of
// `name="user"` with the person's name or `cancel` as `value`. The answer is a 302 to the redirect address.
import type { Codes } from "./codes";
import { consentPage, errorPage } from "./consent-page";
import { KNOWN_SCOPES } from "./scopes";
import type { Workspace } from "./workspace";
import { isRegistered } from "../registered";

export interface ConsentSettings {
  readonly clientId: string;
  /** Exact addresses; null: any loopback or https address. */
  readonly redirectUris: readonly string[] | null;
  readonly pkce: boolean;
  /** Scopes that the person refuses on the page. */
  readonly denied: ReadonlySet<string>;
}

/** A valid request for consent, or the reason against it. */
type Checked =
  | { readonly userScopes: readonly string[]; readonly botScopes: readonly string[] }
  | { readonly refused: Response };

const FIELDS = [
  "client_id",
  "user_scope",
  "scope",
  "redirect_uri",
  "state",
  "team",
  "code_challenge",
  "code_challenge_method",
];

/** Shows the page, or an error page with status 400, or the redirect that reports `pkce_not_allowed`. */
export function showConsent(
  query: URLSearchParams,
  settings: ConsentSettings,
  workspace: Workspace,
): Response {
  const checked = check(query, settings);
  if ("refused" in checked) return checked.refused;
  const hidden = FIELDS.flatMap((name): [string, string][] => {
    const value = query.get(name);
    return value === null ? [] : [[name, value]];
  });
  return consentPage({ ...checked, team: workspace.team.name, people: workspace.signInNames(), hidden });
}

/** Handles the person's decision. The form's fields are checked again, because a page can be changed in the browser. */
export function decideConsent(
  form: URLSearchParams,
  settings: ConsentSettings,
  workspace: Workspace,
  codes: Codes,
): Response {
  const checked = check(form, settings);
  if ("refused" in checked) return checked.refused;
  const name = form.get("user") ?? "";
  if (name === "cancel") return redirect(form, { error: "access_denied" });
  if (!workspace.signInNames().includes(name)) return errorPage("No person of that name can sign in.");
  const granted = (scope: string): boolean => !settings.denied.has(scope);
  const code = codes.issue({
    userId: workspace.person(name).id,
    userScopes: checked.userScopes.filter(granted),
    botScopes: checked.botScopes.filter(granted),
    redirectUri: form.get("redirect_uri") ?? "",
    challenge: form.get("code_challenge"),
  });
  return redirect(form, { code });
}

/** No redirect before the redirect address is known to belong to the client (RFC 6749 section 4.1.2.1). */
function check(query: URLSearchParams, settings: ConsentSettings): Checked {
  if (query.get("client_id") !== settings.clientId)
    return { refused: errorPage("Invalid client_id parameter.") };
  const redirectUri = query.get("redirect_uri") ?? "";
  if (!isRegistered(redirectUri, settings.redirectUris)) {
    return { refused: errorPage("redirect_uri did not match any configured URIs.") };
  }
  const userScopes = scopeList(query.get("user_scope"));
  const botScopes = scopeList(query.get("scope"));
  const requested = [...userScopes, ...botScopes];
  if (requested.length === 0)
    return { refused: errorPage("No scopes requested: user_scope and scope are missing.") };
  const unknown = requested.filter((scope) => !KNOWN_SCOPES.has(scope));
  if (unknown.length > 0) {
    return {
      refused: errorPage(
        `Invalid permissions requested: ${unknown.join(" | ")}. Scopes are comma-separated.`,
      ),
    };
  }
  const challenge = query.get("code_challenge");
  const method = query.get("code_challenge_method");
  if (challenge === null && method === null) return { userScopes, botScopes };
  if (!settings.pkce) return { refused: redirect(query, { error: "pkce_not_allowed" }) };
  if (challenge === null || !/^[\w-]{43}$/.test(challenge) || method !== "S256") {
    return { refused: redirect(query, { error: "invalid_code_challenge" }) };
  }
  return { userScopes, botScopes };
}

/** Comma-separated; a space would be part of a name, which is an error. */
function scopeList(value: string | null): string[] {
  return value === null || value === "" ? [] : value.split(",");
}

function redirect(request: URLSearchParams, result: Record<string, string>): Response {
  const location = new URL(request.get("redirect_uri") ?? "");
  const state = request.get("state");
  for (const [name, value] of Object.entries(result)) location.searchParams.set(name, value);
  if (state !== null) location.searchParams.set("state", state);
  return new Response(null, {
    status: 302,
    headers: { location: location.href, "cache-control": "no-store" },
  });
}
