// What the forms of a person's page do. Ids of other people answer as unknown ids.
import type { Ended } from "../../src/person-overview";
import { shown } from "./html";
import { type Act, confirmation, type Notice, type Sent } from "./me-forms";
import { startConsent } from "./me-consent";
import { clientName } from "./me-sections";

const MOST_NAME = 100;
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

export const ACTIONS: Readonly<Record<string, Act>> = {
  disconnect: async (sent) => (isSure(sent) ? disconnect(sent) : askToDisconnect(sent)),
  revoke: async (sent) => (isSure(sent) ? revoke(sent) : askToRevoke(sent)),
  sign_out: async ({ front, person, form }) =>
    noticeFor(await front.runtime.overview.signOut(person, idOf(form)), "session_ended"),
  sign_out_elsewhere: async ({ front, person }) => {
    await front.runtime.overview.signOutElsewhere(person);
    return "others_ended";
  },
  rename_passkey: renamePasskey,
  remove_passkey: async (sent) => (isSure(sent) ? removePasskey(sent) : askToRemovePasskey(sent)),
  consent: startConsent,
  cancel: async ({ front, person, form }) =>
    noticeFor(await front.runtime.overview.cancel(person, idOf(form)), "cancelled"),
};

async function askToDisconnect({ front, person, forms, form }: Sent): Promise<Notice | Response> {
  const id = idOf(form);
  const found = await front.runtime.overview.connection(person, id);
  if (found === undefined) return "unknown";
  const { name, provider } = found;
  const revoked =
    provider?.oauth2.revoke === undefined
      ? `It is deleted here. ${shown(name)} is not told; you can also remove it in your settings there.`
      : `It is deleted here and revoked at ${shown(name)}.`;
  return confirmation(forms, {
    title: `Disconnect ${name}?`,
    words: `Tools can then no longer act for you at <b>${shown(name)}</b>, until you consent again. ${revoked}`,
    fields: { action: "disconnect", id },
    label: `Yes, disconnect ${name}`,
  });
}

async function disconnect({ front, person, form }: Sent): Promise<Notice> {
  return noticeFor(await front.runtime.overview.disconnect(person, idOf(form)), "disconnected");
}

async function askToRevoke({ front, person, forms, form }: Sent): Promise<Notice | Response> {
  const id = idOf(form);
  const client = await front.runtime.overview.client(person, id);
  if (client === undefined) return "unknown";
  const name = clientName(client);
  return confirmation(forms, {
    title: `Revoke ${name}?`,
    words: `<b>${shown(name)}</b> can then no longer act for you, until you allow it again. What it does now is stopped.`,
    fields: { action: "revoke", id },
    label: `Yes, revoke ${name}`,
  });
}

async function revoke({ front, person, form }: Sent): Promise<Notice> {
  return noticeFor(await front.runtime.overview.revoke(person, idOf(form)), "revoked");
}

async function renamePasskey({ front, person, form }: Sent): Promise<Notice> {
  const name = (form.get("name") ?? "").trim();
  if (name === "" || name.length > MOST_NAME || INVISIBLE.test(name)) return "bad_name";
  return noticeFor(await front.runtime.overview.renamePasskey(person, idOf(form), name), "passkey_renamed");
}

async function askToRemovePasskey({ front, person, forms, form }: Sent): Promise<Notice | Response> {
  const id = idOf(form);
  const own = await front.runtime.overview.passkeys(person);
  const found = own.find((passkey) => passkey.id === id);
  if (found === undefined) return "unknown";
  const last =
    own.length > 1
      ? ""
      : " <b>It is your last one</b>: an administrator must invite you again before you can sign in.";
  return confirmation(forms, {
    title: `Remove ${found.name}?`,
    words: `You can then no longer sign in with the passkey <b>${shown(found.name)}</b>. Browsers stay signed in.${last}`,
    fields: { action: "remove_passkey", id },
    label: `Yes, remove ${found.name}`,
  });
}

async function removePasskey({ front, person, form }: Sent): Promise<Notice> {
  return noticeFor(await front.runtime.overview.removePasskey(person, idOf(form)), "passkey_removed");
}

function isSure({ form }: Sent): boolean {
  return form.get("sure") === "yes";
}

function noticeFor(ended: Ended, done: Notice): Notice {
  return ended === "done" ? done : ended;
}

/** Empty, which no record has, for anything that is not an id. */
function idOf(form: URLSearchParams): string {
  const id = form.get("id") ?? "";
  return /^[\w-]{1,1400}$/.test(id) ? id : "";
}
