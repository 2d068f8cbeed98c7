// The consent page, `GET` and `POST /oauth/v2/auth`.
//
// Its form, for tests and browser drivers: method POST, hidden fields that repeat the request, and one button each of
// `name="user"` with the person's name or `cancel` as `value`. The answer is a 302 to the redirect address.
import { CODES } from "../behaviour/tokens";
import { PEOPLE, personNamed } from "../people";
import { KNOWN_SCOPES } from "../scopes";
import type { Reply } from "../server";
import type { Location } from "../types";
import type { Codes } from "./codes";
import { consentPage, errorPage } from "./page";
import { isRegistered } from "../../registered";

export interface ConsentSettings {
  readonly clientId: string;
  /** Exact addresses; null: any loopback or https address. */
  readonly redirectUris: readonly string[] | null;
  /** Scopes that the person refuses on the page. */
  readonly denied: ReadonlySet<string>;
  /** People who have consented before: they get a refresh token only with `prompt=consent`. */
  readonly consented: Set<string>;
  accountsUrl(location: Location): string;
}

type Checked = { readonly scopes: readonly string[] } | { readonly refused: Reply };

const FIELDS = ["response_type", "client_id", "scope", "redirect_uri", "state", "access_type", "prompt"];

export function showConsent(query: URLSearchParams, settings: ConsentSettings): Reply {
  const checked = check(query, settings);
  if ("refused" in checked) return checked.refused;
  const hidden = FIELDS.flatMap((name): [string, string][] => {
    const value = query.get(name);
    return value === null ? [] : [[name, value]];
  });
  return consentPage({ scopes: checked.scopes, people: PEOPLE.map(({ name }) => name), hidden });
}

/** Handles the person's decision. The form's fields are checked again, because a page can be changed in the browser. */
export function decideConsent(form: URLSearchParams, settings: ConsentSettings, codes: Codes): Reply {
  const checked = check(form, settings);
  if ("refused" in checked) return checked.refused;
  const name = form.get("user") ?? "";
  if (name === "cancel") return redirect(form, { error: "access_denied" });
  if (!PEOPLE.some((person) => person.name === name)) return errorPage("No person of that name can sign in.");
  const person = personNamed(name);
  const again = settings.consented.has(name) && form.get("prompt") !== "consent";
  settings.consented.add(name);
  const code = codes.issue({
    person,
    scopes: checked.scopes.filter((scope) => !settings.denied.has(scope)),
    redirectUri: form.get("redirect_uri") ?? "",
    withRefresh: form.get("access_type") === "offline" && !again,
  });
  if (code === undefined) return redirect(form, { error: CODES.error });
  const { location } = person;
  return redirect(form, { code, location, "accounts-server": settings.accountsUrl(location) });
}

/** No redirect before the redirect address is known to belong to the client (RFC 6749 section 4.1.2.1). */
function check(query: URLSearchParams, settings: ConsentSettings): Checked {
  if (query.get("client_id") !== settings.clientId) return refused("Invalid client.");
  if (!isRegistered(query.get("redirect_uri") ?? "", settings.redirectUris)) {
    return refused("Invalid redirect address.");
  }
  if (query.get("response_type") !== "code") return refused("Invalid response type.");
  if (!["online", "offline", null].includes(query.get("access_type"))) return refused("Invalid access type.");
  const scopes = (query.get("scope") ?? "").split(",");
  // A space would be part of a name, which is an error.
  const unknown = scopes.filter((scope) => !KNOWN_SCOPES.has(scope));
  return unknown.length === 0 ? { scopes } : refused(`Unknown scopes: ${unknown.join(" | ")}.`);
}

function refused(message: string): Checked {
  return { refused: errorPage(message) };
}

function redirect(request: URLSearchParams, result: Record<string, string>): Reply {
  const location = new URL(request.get("redirect_uri") ?? "");
  const state = request.get("state");
  for (const [name, value] of Object.entries(result)) location.searchParams.set(name, value);
  if (state !== null) location.searchParams.set("state", state);
  return { status: 302, headers: { location: location.href, "cache-control": "no-store" }, body: "" };
}
