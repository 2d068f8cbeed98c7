// The consent page, `GET` and `POST /o/oauth2/v2/auth`.
//
// Its form, for tests and browser drivers: method POST, hidden fields that repeat the request, a box `name="drop"` per
// scope that keeps it from being granted, a box `name="pick"` per file where files are to be picked, and one button
// each of `name="user"` with the person's name or `cancel` as `value`. The answer is a 302 to the redirect address.
import { ASKS_FOR_ACCOUNT } from "../behaviour/picker";
import type { Library } from "../drive/library";
import { PEOPLE, type Person } from "../people";
import type { Codes } from "./codes";
import { consentPage, errorPage } from "./consent-page";
import { grantedForm, PICKER_SCOPE, unknownScopes } from "./scopes";
import { projectOf } from "./tokens";
import { isRegistered } from "../../registered";

export interface ConsentSettings {
  readonly clientIds: readonly string[];
  /** Exact addresses; null: any loopback or https address. */
  readonly redirectUris: readonly string[] | null;
  /** Scopes that every person refuses. */
  readonly denied: ReadonlySet<string>;
  /** The platform's issuer in its answers, which differs from its endpoints. */
  readonly issuer: string;
  /** The person who is signed in and is asked for no account; null: no account is signed in. */
  readonly signedIn: string | null;
  /** Picked files belong to the application although the code is never exchanged. */
  readonly keepsUnexchangedPicks: boolean;
}

const FIELDS = new Set([
  ..."client_id redirect_uri response_type scope state code_challenge code_challenge_method".split(" "),
  ..."access_type prompt include_granted_scopes login_hint hd nonce".split(" "),
  ..."trigger_onepick allow_multiple mimetypes file_ids".split(" "),
]);

const PROMPTS = new Set(["consent", "select_account", "none"]);

/** Shows the page, or an error page with status 400. */
export function showConsent(query: URLSearchParams, settings: ConsentSettings, library: Library): Response {
  const problem = problemOf(query, settings);
  if (problem !== undefined) return errorPage(problem);
  return consentPage({
    scopes: scopesOf(query),
    people: peopleFor(query, settings).map(({ name }) => name),
    files: isPicker(query)
      ? library.files.map((file) => ({ id: file.id, title: file.workbook.title, owner: file.owner.name }))
      : [],
    hidden: [...query],
  });
}

/** Handles the person's decision. The form's fields are checked again, because a page can be changed in the browser. */
export function decideConsent(
  form: URLSearchParams,
  settings: ConsentSettings,
  library: Library,
  codes: Codes,
): Response {
  const request = new URLSearchParams([...form].filter(([name]) => FIELDS.has(name)));
  const problem = problemOf(request, settings);
  if (problem !== undefined) return errorPage(problem);
  const name = form.get("user") ?? "";
  if (name === "cancel") return redirect(request, { error: "access_denied", iss: settings.issuer });
  const person = peopleFor(request, settings).find((one) => one.name === name);
  if (person === undefined) return errorPage("No person of that name can sign in.");
  const dropped = new Set([...form.getAll("drop"), ...settings.denied]);
  const scopes = grantedForm(scopesOf(request).filter((scope) => !dropped.has(scope)));
  if (scopes.length === 0) return redirect(request, { error: "access_denied", iss: settings.issuer });
  const clientId = request.get("client_id") ?? "";
  const picked = isPicker(request) ? pickable(form.getAll("pick"), person, library) : undefined;
  const keep = (): void => {
    for (const id of picked ?? []) library.markOpened(library.known(id), person, projectOf(clientId));
  };
  if (settings.keepsUnexchangedPicks) keep();
  const code = codes.issue({
    person,
    clientId,
    redirectUri: request.get("redirect_uri") ?? "",
    scopes,
    includeGranted: request.get("include_granted_scopes") === "true",
    offline: request.get("access_type") === "offline",
    prompted: promptsOf(request).includes("consent"),
    challenge: request.get("code_challenge") ?? "",
    exchanged: keep,
  });
  return redirect(request, {
    iss: settings.issuer,
    code,
    scope: scopes.join(" "),
    authuser: "0",
    prompt: promptsOf(request)[0] ?? "none",
    ...(picked === undefined ? {} : { picked_file_ids: picked.join(",") }),
  });
}

/** The error of a request, shown without a redirect. */
function problemOf(query: URLSearchParams, { clientIds, redirectUris }: ConsentSettings): string | undefined {
  const names = [...query.keys()];
  if (new Set(names).size !== names.length) return "invalid_request: a parameter is repeated";
  const unknown = names.find((name) => !FIELDS.has(name));
  if (unknown !== undefined) return `invalid_request: unknown parameter ${unknown}`;
  if (!clientIds.includes(query.get("client_id") ?? ""))
    return "invalid_client: The OAuth client was not found.";
  if (!isRegistered(query.get("redirect_uri") ?? "", redirectUris)) return "redirect_uri_mismatch";
  if (query.get("response_type") !== "code") return "unsupported_response_type";
  const scopes = scopesOf(query);
  if (scopes.length === 0) return "invalid_request: Missing required parameter: scope";
  if (unknownScopes(scopes).length > 0) return `invalid_scope: ${unknownScopes(scopes).join(", ")}`;
  return problemOfOptions(query) ?? problemOfPkce(query) ?? problemOfPicker(query);
}

function problemOfOptions(query: URLSearchParams): string | undefined {
  if (!["online", "offline"].includes(query.get("access_type") ?? "online")) return "invalid access_type";
  if (!["true", "false"].includes(query.get("include_granted_scopes") ?? "false")) {
    return "invalid include_granted_scopes";
  }
  const prompts = promptsOf(query);
  const isKnown = prompts.every((prompt) => PROMPTS.has(prompt));
  return isKnown && (prompts.length < 2 || !prompts.includes("none")) ? undefined : "invalid prompt";
}

/** The platform accepts requests without PKCE and the method `plain`; the stand-in refuses both. */
function problemOfPkce(query: URLSearchParams): string | undefined {
  const challenge = query.get("code_challenge") ?? "";
  if (query.get("code_challenge_method") !== "S256")
    return "invalid_request: code_challenge_method must be S256";
  return /^[\w-]{43}$/.test(challenge) ? undefined : "invalid_request: code_challenge";
}

function problemOfPicker(query: URLSearchParams): string | undefined {
  if (!isPicker(query)) return undefined;
  const alone = scopesOf(query).join(" ") === PICKER_SCOPE && !query.has("include_granted_scopes");
  if (!alone) return "invalid_request: files are picked with the scope drive.file alone";
  return promptsOf(query).includes("consent")
    ? undefined
    : "invalid_request: files are picked with prompt=consent";
}

function pickable(ids: readonly string[], person: Person, library: Library): string[] {
  return library.files
    .filter((file) => ids.includes(file.id) && library.roleOf(person, file) !== null)
    .map(({ id }) => id);
}

function isPicker(query: URLSearchParams): boolean {
  return query.get("trigger_onepick") === "true";
}

/** With a hint only this person; without a choice of account only the one who is signed in. */
function peopleFor(query: URLSearchParams, { signedIn }: ConsentSettings): Person[] {
  const only = promptsOf(query).includes(ASKS_FOR_ACCOUNT) ? null : signedIn;
  const hint = query.get("login_hint");
  const domain = query.get("hd");
  return Object.values(PEOPLE).filter(
    (person: Person) =>
      (hint === null || person.email === hint || person.id === hint) &&
      (only === null || person.name === only) &&
      (domain === null || domain === "*" || person.profile["hd"] === domain),
  );
}

function scopesOf(query: URLSearchParams): string[] {
  return (query.get("scope") ?? "").split(" ").filter((scope) => scope !== "");
}

function promptsOf(query: URLSearchParams): string[] {
  return (query.get("prompt") ?? "").split(" ").filter((prompt) => prompt !== "");
}

function redirect(request: URLSearchParams, result: Record<string, string>): Response {
  const location = new URL(request.get("redirect_uri") ?? "");
  const state = request.get("state");
  if (state !== null) location.searchParams.set("state", state);
  for (const [name, value] of Object.entries(result)) location.searchParams.set(name, value);
  return new Response(null, {
    status: 302,
    headers: { location: location.href, "cache-control": "no-store" },
  });
}
