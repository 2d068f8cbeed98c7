// The lists on the page of a person.
import type { ExecutionRecord } from "../../src/audit";
import type { BrowserSession, ClientGrant, Passkey } from "../../src/people";
import type { List, Overview, Start, UsedConnection } from "../../src/person-overview";
import { FEW, MANY } from "../../src/person-overview";
import type { ToolExecution } from "../../src/tools";
import { scopeList } from "./consent-text";
import { deviceOf } from "./device";
import { escape, shown } from "./html";
import { buttonForm, type Forms, hiddenFields } from "./me-forms";
import { timeOf } from "./time";

export function connectionsSection({ connections }: Overview, forms: Forms): string {
  const card = (one: UsedConnection): string => {
    const name = one.provider?.name ?? one.providerId;
    const words = { provider: name, scopeWords: one.provider?.scopeWords ?? {} };
    const key = one.provider?.type === "api_key";
    return (
      `<h3>${shown(name)}</h3><dl>` +
      term("Account", one.account === undefined ? "not told by the provider" : shown(one.account)) +
      term("What it may do", key ? "All that your key may do" : scopeList(one.scopes, words)) +
      term("Since", timeOf(one.since)) +
      term("Last used", one.usedAt === undefined ? "not by any of your newest runs" : timeOf(one.usedAt)) +
      (one.usable ? "" : term("State", "expired: it must be consented to again")) +
      `</dl>${buttonForm(forms, { action: "disconnect", id: one.id }, `Disconnect ${name}`)}`
    );
  };
  return section(
    "connections",
    "Connections",
    "Your accounts at other services. Tools act there for you, with nothing but what is listed.",
    cardsOf(connections, card, "connections", forms) || "<p>You have no connections.</p>",
  );
}

export function clientsSection({ clients }: Overview, forms: Forms): string {
  const card = (one: ClientGrant): string => {
    const name = clientName(one);
    return (
      `<h3>${shown(name)}</h3><dl>` +
      term("Client", shown(one.clientId)) +
      term("Where", where(one)) +
      term(
        "What it may do",
        `<ul>${one.scopes.map((scope) => `<li>${scopeWords(scope)}</li>`).join("")}</ul>`,
      ) +
      term("Since", timeOf(one.since)) +
      term("Last used", one.usedAt === undefined ? "never" : timeOf(one.usedAt)) +
      `</dl>${buttonForm(forms, { action: "revoke", id: one.id }, `Revoke ${name}`)}`
    );
  };
  return section(
    "clients",
    "Clients",
    "Programs that you have allowed to act for you. They choose their names themselves.",
    cardsOf(clients, card, "clients", forms) || "<p>No client acts for you.</p>",
  );
}

export function sessionsSection({ sessions }: Overview, forms: Forms): string {
  const card = (one: BrowserSession): string => {
    const name = deviceOf(one.user_agent ?? null);
    const end = one.current
      ? ""
      : buttonForm(
          forms,
          { action: "sign_out", id: one.id },
          `Sign out ${name}, signed in ${plain(one.created_at)}`,
        );
    return (
      `<h3>${shown(name)}${one.current ? " (this browser)" : ""}</h3><dl>` +
      term("Signed in", `${METHODS[one.method]}, ${timeOf(one.created_at)}`) +
      (one.address === undefined ? "" : term("Address", shown(one.address))) +
      `${term("Last used", timeOf(one.used_at))}</dl>${end}`
    );
  };
  const others =
    sessions.items.length > 1
      ? buttonForm(forms, { action: "sign_out_elsewhere" }, "Sign out everywhere else")
      : "";
  return section(
    "browsers",
    "Browsers",
    "Where you are signed in.",
    cardsOf(sessions, card, "sessions", forms) + others,
  );
}

/** `add`: the path of the page on which a further one is set. */
export function passkeysSection(
  passkeys: readonly Passkey[],
  forms: Forms,
  { add }: { add: string },
): string {
  const card = (one: Passkey, index: number): string =>
    `<h3>${shown(one.name)}</h3><dl>${term("Since", timeOf(one.created_at))}` +
    `${term("Last used", one.used_at === undefined ? "never" : timeOf(one.used_at))}</dl>` +
    `<form method="post" action="${escape(forms.action)}">` +
    hiddenFields({ action: "rename_passkey", id: one.id, token: forms.token }) +
    `<label for="name${index}">Another name for ${shown(one.name)}</label>` +
    `<input id="name${index}" name="name" required maxlength="100" autocomplete="off">` +
    `<button>Rename ${shown(one.name)}</button></form>` +
    buttonForm(forms, { action: "remove_passkey", id: one.id }, `Remove ${one.name}`);
  const cards = passkeys.map((one, index) => `<li>${card(one, index)}</li>`).join("");
  return section(
    "passkeys",
    "Passkeys",
    "What you sign in with.",
    (cards === "" ? "<p>You have no passkeys.</p>" : `<ul class="cards">${cards}</ul>`) +
      `<p><a class="button" href="${escape(add)}">Add a passkey</a></p>`,
  );
}

export function scheduledSection({ scheduled }: Overview, forms: Forms): string {
  const card = (one: ToolExecution): string => {
    const name = `${one.toolkit_name}.${one.tool_name}`;
    const cancel = buttonForm(
      forms,
      { action: "cancel", id: one.id },
      `Cancel ${name}, due ${plain(one.run_at)}`,
    );
    return (
      `<h3>${shown(name)}</h3><dl>${term("Runs at", timeOf(one.run_at))}` +
      `${term("State", one.execution_status === "running" ? "has begun" : "waits")}</dl>` +
      (one.execution_status === "pending" ? cancel : "")
    );
  };
  return section(
    "scheduled",
    "Scheduled runs",
    "Tools that will run for you.",
    cardsOf(scheduled, card, "scheduled", forms) || "<p>Nothing is scheduled.</p>",
  );
}

export function runsSection({ runs }: Overview, { action }: Forms, isNewest: boolean): string {
  const card = ({ tool, status, error_kind, time }: ExecutionRecord): string => {
    const reason = error_kind === undefined ? "" : ` <small>${shown(error_kind)}</small>`;
    return `<b>${shown(tool)}</b>: ${status}${reason}<br>${timeOf(time)}`;
  };
  const items = runs.items.map((one) => `<li>${card(one)}</li>`).join("");
  const older =
    runs.next === undefined
      ? ""
      : `<p><a href="${escape(`${action}?before=${encodeURIComponent(runs.next)}#runs`)}">Show older runs</a></p>`;
  const newest = isNewest ? "" : `<p><a href="${escape(`${action}#runs`)}">Show the newest runs</a></p>`;
  return section(
    "runs",
    "Recent runs",
    "Tools that have run for you, the newest first.",
    (items === "" ? "<p>No tool has run for you.</p>" : `<ol class="cards">${items}</ol>`) + older + newest,
  );
}

const METHODS = {
  passkey: "with a passkey",
  oidc: "at your identity provider",
  proxy: "by your company's proxy",
  link: "with a one-time link",
} as const;

/** As the client calls itself, or what it is identified by. */
export function clientName({ clientName: name, clientId, gateway }: ClientGrant): string {
  const host = URL.parse(clientId)?.host ?? "";
  const own = [name, host].find((text = "") => text.trim() !== "") ?? clientId;
  if (gateway === undefined) return own;
  return `${own} at ${gateway.name ?? "a deleted gateway"}`;
}

function where({ gateway }: ClientGrant): string {
  if (gateway === undefined) return "the API of the project";
  if (gateway.name === undefined) return "a gateway that was deleted";
  return `the gateway ${shown(gateway.name)} <small>${shown(`/mcp/${gateway.slug ?? ""}`)}</small>`;
}

const SCOPES: Readonly<Record<string, string>> = {
  mcp: "Call the tools of this gateway as you",
  runtime: "Use the API and the commands as you",
  offline_access: "Stay signed in until you revoke it",
};

function scopeWords(scope: string): string {
  const words = Object.hasOwn(SCOPES, scope) ? SCOPES[scope] : undefined;
  return words === undefined ? shown(scope) : words;
}

/** A time in the name of a button. */
function plain(time: string): string {
  return time.slice(0, 16).replace("T", " ");
}

function term(name: string, html: string): string {
  return `<dt>${name}</dt><dd>${html}</dd>`;
}

function section(id: string, title: string, words: string, html: string): string {
  return `<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2><p class="hint">${words}</p>${html}</section>`;
}

/** Empty for an empty list. */
function cardsOf<T>(
  { items, hasMore }: Start<T>,
  card: (item: T) => string,
  list: List,
  { action }: Forms,
): string {
  if (items.length === 0) return "";
  const cards = `<ul class="cards">${items.map((item) => `<li>${card(item)}</li>`).join("")}</ul>`;
  if (!hasMore) return cards;
  if (items.length > FEW) return `${cards}<p>Only the first ${MANY} are shown.</p>`;
  return `${cards}<p><a href="${escape(`${action}?all=${list}#${ANCHORS[list]}`)}">Show more ${NAMES[list]}</a></p>`;
}

const ANCHORS: Readonly<Record<List, string>> = {
  connections: "connections",
  clients: "clients",
  sessions: "browsers",
  scheduled: "scheduled",
};
const NAMES: Readonly<Record<List, string>> = {
  connections: "connections",
  clients: "clients",
  sessions: "browsers",
  scheduled: "scheduled runs",
};
