// The page on which a person allows a client something. It names the client, the gateway and the person.
import type { AskingClient, AuthorizationRequest, SignedIn } from "../../src/people";
import { escape, htmlPage, shown } from "../pages/html";

const SCOPES: Readonly<Record<string, string>> = {
  mcp: "Use the tools of this gateway in your name, with the accounts that you have connected",
  runtime: "Use this server in your name: everything that you may do here",
};

export interface Asked {
  request: AuthorizationRequest;
  person: SignedIn;
  /** Where the form is sent. */
  action: string;
  /** Fields of the form besides the token and the answer. */
  hidden?: Readonly<Record<string, string>>;
  /** The page itself, for the return after a sign-in as somebody else. */
  here: string;
}

export function consentPage({ request, person, action, hidden = {}, here }: Asked): Response {
  const { client, resource, device } = request;
  const fields = Object.entries({ ...hidden, token: person.formToken })
    .map(([name, value]) => `<input type="hidden" name="${escape(name)}" value="${escape(value)}">`)
    .join("");
  return htmlPage(
    200,
    `Allow ${nameOf(client)}?`,
    `<dl><dt>Program</dt><dd>${shown(nameOf(client))}${originWords(client)}</dd>` +
      `<dt>${resource.scope === "mcp" ? "Gateway" : "Server"}</dt><dd>${shown(resource.name)}<br><small>${shown(resource.address)}</small></dd>` +
      `<dt>You are signed in as</dt><dd>${shown(person.userId)}</dd>` +
      `<dt>It may</dt><dd><ul><li>${SCOPES[resource.scope] ?? ""}</li></ul></dd>` +
      (client.returnsTo === undefined
        ? ""
        : `<dt>Afterwards you go to</dt><dd>${shown(client.returnsTo)}</dd>`) +
      (device === undefined ? "" : deviceWords(device)) +
      `</dl><p>Allow it only if you have started this yourself just now.</p>` +
      `<form method="post" action="${escape(action)}">${fields}` +
      `<button class="main" name="answer" value="yes">Allow</button><button name="answer" value="no">Do not allow</button></form>` +
      otherAccount(person, here),
  );
}

function nameOf({ name, id }: AskingClient): string {
  return name ?? URL.parse(id)?.host ?? "an unnamed program";
}

/** What is known of who the client is: its name is its own choice. */
function originWords({ origin, id }: AskingClient): string {
  if (origin === "built_in") return "";
  const words =
    origin === "document"
      ? `Described by ${shown(URL.parse(id)?.host ?? id)}: ${shown(id)}`
      : "Unverified: the program has chosen this name itself";
  return `<br><small>${words}</small>`;
}

function deviceWords({ address, userAgent }: NonNullable<AuthorizationRequest["device"]>): string {
  const words = [address, userAgent].filter((one) => one !== undefined).map((one) => shown(one));
  return words.length === 0 ? "" : `<dt>It runs at</dt><dd>${words.join("<br>")}</dd>`;
}

/** Ends the session of this browser, and comes back to this page after the next sign-in. */
function otherAccount({ projectId, formToken }: SignedIn, here: string): string {
  const fields = { token: formToken, project: projectId, to: here, again: "1" };
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escape(value)}">`,
  );
  return `<form method="post" action="/sign-out">${inputs.join("")}<button>Use another account</button></form>`;
}
