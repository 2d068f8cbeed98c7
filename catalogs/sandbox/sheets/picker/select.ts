// The window in which the person signs in and grants a token to a page: `GET` and `POST /gsi/select`.
import { ASKS_FOR_ACCOUNT } from "../behaviour/picker";
import type { ConsentSettings } from "../oauth/consent";
import { grantedForm, unknownScopes } from "../oauth/scopes";
import type { TokenStore } from "../oauth/tokens";
import { PEOPLE, type Person } from "../people";
import { form, isSite, page, telling } from "./page";

export async function answerSelect(
  request: Request,
  settings: ConsentSettings,
  tokens: TokenStore,
): Promise<Response> {
  const isAnswer = request.method === "POST";
  const fields = new URLSearchParams(isAnswer ? await request.text() : new URL(request.url).search);
  const problem = problemOf(fields, settings);
  if (problem !== undefined) return page(400, "Error 400", `<p>${Bun.escapeHTML(problem)}</p>`);
  if (isAnswer) return decide(fields, settings, tokens);
  const buttons = [...namesFor(fields, settings), "cancel"].map(
    (name) =>
      `<button name="user" value="${name}">${name === "cancel" ? "Cancel" : `Continue as ${name}`}</button>`,
  );
  const scopes = Bun.escapeHTML(fields.get("scope") ?? "");
  return page(
    200,
    "Sign in",
    `<p>A page asks for ${scopes}.</p>${form("/gsi/select", fields, buttons.join(""))}`,
  );
}

/** A person who is signed in is not asked for another account, unless the page wants it. */
function namesFor(fields: URLSearchParams, { signedIn }: ConsentSettings): string[] {
  const isAsked = signedIn === null || (fields.get("prompt") ?? "").split(" ").includes(ASKS_FOR_ACCOUNT);
  return isAsked ? Object.keys(PEOPLE) : [signedIn];
}

function decide(fields: URLSearchParams, settings: ConsentSettings, tokens: TokenStore): Response {
  const origin = fields.get("origin") ?? "";
  const person = Object.values(PEOPLE).find((one: Person) => one.name === fields.get("user"));
  const scopes = grantedForm(scopesOf(fields).filter((scope) => !settings.denied.has(scope)));
  if (person === undefined || scopes.length === 0) {
    return telling("opener", origin, { error: "access_denied" });
  }
  const token = tokens.issue({
    person,
    clientId: fields.get("client_id") ?? "",
    scopes,
    includeGranted: fields.get("include_granted_scopes") === "true",
    offline: false,
    prompted: false,
  });
  return telling("opener", origin, {
    access_token: token.accessToken,
    token_type: "Bearer",
    expires_in: token.expiresIn,
    scope: token.scopes.join(" "),
  });
}

function problemOf(fields: URLSearchParams, { clientIds }: ConsentSettings): string | undefined {
  if (!clientIds.includes(fields.get("client_id") ?? "")) return "invalid_client";
  if (!isSite(fields.get("origin") ?? "")) return "origin_mismatch";
  const scopes = scopesOf(fields);
  return scopes.length === 0 || unknownScopes(scopes).length > 0 ? "invalid_scope" : undefined;
}

function scopesOf(fields: URLSearchParams): string[] {
  return (fields.get("scope") ?? "").split(" ").filter((scope) => scope !== "");
}
