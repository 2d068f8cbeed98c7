// What the pages of passkeys and one-time links show. The form of a ceremony is hidden until the script can run it.
import { DEFAULT_ID } from "../../src/identity";
import type { OpenedLink } from "../../src/people";
import type { Runtime } from "../../src/runtime";
import { escape, htmlPage, pagePolicy, shown } from "./html";

const POLICY = pagePolicy({ "script-src": ["'self'"], "connect-src": ["'self'"] });

/** A ceremony: what the script asks, and where it sends the answer. Addresses are paths. */
interface Ceremony {
  kind: "create" | "get";
  options: string;
  answer: string;
  /** Sent with each request. */
  body: object;
  /** The proposed name of the device; undefined: it gets none. */
  name?: string;
  button: string;
  script: string;
}

export interface Place {
  /** Of the project, or the host if it has none. */
  application: string;
  /** The path of the server's address, without a slash at the end. */
  prefix: string;
}

export async function placeOf({ core, identity }: Runtime, projectId: string): Promise<Place> {
  const { host, pathname } = new URL(core.publicUrl());
  const name = await identity.projects.nameOf(projectId);
  return {
    application: name === undefined || name === DEFAULT_ID ? host : name,
    prefix: pathname.replace(/\/$/, ""),
  };
}

function ceremonyForm({ kind, options, answer, body, name, button, script }: Ceremony): string {
  const field =
    name === undefined
      ? ""
      : `<label for="name">Name of this device, for your list of passkeys</label>` +
        `<input id="name" name="name" maxlength="100" autocomplete="off" value="${escape(name)}">`;
  return (
    `<form data-passkey="${kind}" data-options="${escape(options)}" data-answer="${escape(answer)}" ` +
    `data-body="${escape(JSON.stringify(body))}" hidden>${field}` +
    `<button class="main">${button}</button></form>` +
    `<p id="status" role="status" hidden></p><p id="problem" class="problem" role="alert" hidden></p>` +
    `<noscript><p class="problem">Passkeys need JavaScript. Switch it on for this address, then load the page again.</p></noscript>` +
    `<script src="${escape(script)}"></script>`
  );
}

function page(title: string, body: string, headers: Record<string, string> = {}): Response {
  return htmlPage(200, title, body, { "content-security-policy": POLICY, ...headers });
}

/** The sign-in. `to`: where to afterwards, a path. */
export function signInPage({ application, prefix }: Place, projectId: string, to: string): Response {
  const form = ceremonyForm({
    kind: "get",
    options: `${prefix}/sign-in/passkey/options`,
    answer: `${prefix}/sign-in/passkey/verify`,
    body: { project: projectId, to },
    button: "Sign in with a passkey",
    script: `${prefix}/sign-in/passkey.js`,
  });
  return page(
    "Sign in",
    `<p>Sign in to <b>${shown(application)}</b> with your passkey. You need no user name and no password.</p>${form}` +
      `<p>No passkey yet, or a new device? An administrator can send you a link: <code>runtime users invite</code>.</p>`,
  );
}

/** Where passkeys cannot work. */
export function noPasskeysPage({ application }: Place, reason: string): Response {
  return htmlPage(
    200,
    "Sign in",
    `<p>${shown(reason)}</p><p>To sign in to <b>${shown(application)}</b>, ask an administrator for a sign-in link: ` +
      `<code>runtime users invite</code>.</p>`,
  );
}

/** The page of an invitation whose link sets a passkey. */
export function invitationPage(
  { application, prefix }: Place,
  link: OpenedLink,
  { address, device }: { address: string; device: string },
): Response {
  const form = ceremonyForm({
    kind: "create",
    options: `${address}/options`,
    answer: `${address}/passkey`,
    body: {},
    name: device,
    button: "Set up a passkey",
    script: `${prefix}/sign-in/passkey.js`,
  });
  return page(
    "Your invitation",
    facts(application, link) +
      "<p>A passkey is kept by this device and protected by its PIN, fingerprint or face. It replaces a password.</p>" +
      form,
  );
}

/** The page of a link that signs in. It works without script. `check`: of this browser. */
export function signInLinkPage(
  { application }: Place,
  link: OpenedLink,
  { address, check, cookie }: { address: string; check: string; cookie: string },
): Response {
  return htmlPage(
    200,
    "Sign in",
    `${facts(application, link)}<p>This link works once.</p>` +
      `<form method="post" action="${escape(address)}"><input type="hidden" name="check" value="${escape(check)}">` +
      `<button class="main">Sign in as ${shown(link.userId)}</button></form>`,
    { "set-cookie": cookie },
  );
}

function facts(application: string, { userId, name, role }: OpenedLink): string {
  return (
    `<p>You are invited to <b>${shown(application)}</b>.</p><dl>` +
    (name === undefined ? "" : `<dt>Name</dt><dd>${shown(name)}</dd>`) +
    `<dt>Your user there</dt><dd>${shown(userId)}</dd><dt>Your role</dt><dd>${shown(role)}</dd></dl>` +
    "<p>Is this you? If the link was meant for somebody else, close this page.</p>"
  );
}

/** The page on which a person who is signed in adds a passkey. */
export function addPage(
  { application, prefix }: Place,
  person: { projectId: string; userId: string; formToken: string },
  device: string,
): Response {
  const form = ceremonyForm({
    kind: "create",
    options: `${prefix}/sign-in/passkey/new/options`,
    answer: `${prefix}/sign-in/passkey/new`,
    body: { project: person.projectId, token: person.formToken },
    name: device,
    button: "Add a passkey",
    script: `${prefix}/sign-in/passkey.js`,
  });
  return page(
    "Add a passkey",
    `<p>You are signed in to <b>${shown(application)}</b> as <b>${shown(person.userId)}</b>. Each of your devices can have a ` +
      `passkey of its own.</p>${form}`,
  );
}

export function unknownLinkPage(): Response {
  return htmlPage(
    404,
    "This link does not work",
    "<p>It was used, has expired, or was replaced by a newer one. Ask an administrator for a new one: " +
      "<code>runtime users invite</code>.</p>",
  );
}
