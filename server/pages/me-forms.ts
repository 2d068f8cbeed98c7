// The page of a person, its forms and its notices. It works without scripts.
import type { Person } from "../../src/person-overview";
import type { Front } from "../front";
import { escape, htmlPageWith, shown } from "./html";

export const personalPage = htmlPageWith(`
h2 { font-size: 1.15rem; margin: 2.2rem 0 .3rem; } h3 { font-size: 1rem; margin: 0 0 .4rem; overflow-wrap: anywhere; }
p { overflow-wrap: anywhere; } ul.cards, ol.cards { list-style: none; margin: .6rem 0; padding: 0; }
.cards > li { border: 1px solid #8886; border-radius: .6rem; padding: .8rem 1rem; margin-bottom: .7rem; }
.cards dl { border: 0; padding: 0; margin: 0; } .cards dd { font-weight: 400; } .cards form, .who form { margin: .4rem 0 0; }
.cards button { margin: 0; text-align: left; overflow-wrap: anywhere; }
.notice { border-left: .3rem solid #2e7d32; padding-left: .8rem; } .hint { font-size: .9rem; opacity: .8; }
summary { padding: .4rem 0; cursor: pointer; overflow-wrap: anywhere; }
pre { overflow-x: auto; border: 1px solid #8886; border-radius: .5rem; padding: .7rem; white-space: pre-wrap; overflow-wrap: anywhere; }
a.button { display: inline-block; border: 1px solid #888; border-radius: .5rem; padding: .5rem 1rem; margin: 0 .6rem .5rem 0; color: inherit; text-decoration: none; }
:focus-visible { outline: .2rem solid #1a73e8; outline-offset: .15rem; }
`);

/** Where the forms of a person go, and what proves that a page of ours has shown them. */
export interface Forms {
  /** The path of the page. */
  action: string;
  token: string;
}

/** A form that a person has sent. */
export interface Sent {
  front: Front;
  person: Person;
  forms: Forms;
  form: URLSearchParams;
}

/** What a form does: a notice for the page of the person, or another answer. */
export type Act = (sent: Sent) => Promise<Notice | Response>;

/** A form that is one button. `label` says what it ends, for people who hear only the button. */
export function buttonForm(
  { action, token }: Forms,
  fields: Readonly<Record<string, string>>,
  label: string,
  isMain = false,
): string {
  const hidden = hiddenFields({ ...fields, token });
  return (
    `<form method="post" action="${escape(action)}">${hidden}` +
    `<button${isMain ? ' class="main"' : ""}>${shown(label)}</button></form>`
  );
}

export function hiddenFields(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${escape(name)}" value="${escape(value)}">`)
    .join("");
}

/** What a notice may say. The address has the code only: no text of an address is shown. */
export const NOTICES = {
  disconnected: "Disconnected. Tools can no longer act for you there.",
  revoked: "Revoked. The client can no longer act for you.",
  session_ended: "That browser is signed out.",
  others_ended: "All other browsers are signed out.",
  passkey_renamed: "Renamed.",
  passkey_removed: "Removed. You cannot sign in with that passkey any more.",
  bad_name: "A name has 1 to 100 visible characters. Nothing was changed.",
  cancelled: "Cancelled. The tool will not run.",
  begun: "It has begun or ended already, so it cannot be cancelled.",
  unknown: "That does not exist any more. Nothing was changed.",
} as const;
export type Notice = keyof typeof NOTICES;

export function noticeOf(code: string | null): string {
  const text = code !== null && isNotice(code) ? NOTICES[code] : undefined;
  return text === undefined ? "" : `<p class="notice" role="status">${text}</p>`;
}

function isNotice(code: string): code is Notice {
  return Object.hasOwn(NOTICES, code);
}

/** Asks once before something is ended. */
export function confirmation(
  forms: Forms,
  {
    title,
    words,
    fields,
    label,
  }: { title: string; words: string; fields: Record<string, string>; label: string },
): Response {
  const body =
    `<p>${words}</p>` +
    buttonForm(forms, { ...fields, sure: "yes" }, label, true) +
    `<p><a class="button" href="${escape(forms.action)}">No, keep it</a></p>`;
  return personalPage(200, title, body);
}
