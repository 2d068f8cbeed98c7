// A person who is signed in with a browser, for tests of the pages that need one.
import type { PersonRole } from "../../src/identity";
import { query, run, touch, type Transaction } from "../../src/store";
import { api, at } from "../support/api";
import { Browser } from "../support/browser";
import type { Site } from "../support/site";

/** So that people sign in, whatever they do it with: tests begin sessions directly. */
export const PEOPLE = { RUNTIME_SIGN_IN: "passkey" };

export interface PersonBrowser {
  readonly cookie: string;
  readonly sessionId: string;
  /** A GET with the cookie. */
  open(path: string, headers?: Record<string, string>): Promise<Response>;
  /** A form of the page, with the token of the session unless another one is given. */
  send(fields: Record<string, string>, options?: SendOptions): Promise<Response>;
}

export interface SendOptions {
  path?: string;
  /** Null: none. */
  origin?: string | null;
}

export const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0";

/** Begins a session as a sign-in does. */
export async function signInBrowser(
  { runtime, url }: Pick<Site, "runtime" | "url">,
  userId: string,
  projectId = "default",
  userAgent = FIREFOX,
): Promise<PersonBrowser> {
  const { sessions } = runtime;
  // With passkeys, only invited people can sign in.
  await invite({ runtime }, { userId, projectId, role: "member" });
  const startedBy = crypto.randomUUID();
  const cookie = await sessions.begin({ projectId, userId, method: "passkey", startedBy, userAgent });
  const person = await sessions.find(projectId, cookie);
  if (cookie === undefined || person === undefined) throw new Error("no session has begun");
  const prefix = runtime.core.publicUrl().startsWith("https:") ? "__Host-" : "";
  const pair = `${prefix}runtime_session_${projectId}=${cookie}`;
  const page = projectId === "default" ? "/me" : `/me/${projectId}`;
  return {
    cookie: pair,
    sessionId: person.sessionId,
    open: (path, headers = {}) =>
      fetch(url + path, { redirect: "manual", headers: { cookie: pair, ...headers } }),
    send: (fields, { path = page, origin = new URL(runtime.core.publicUrl()).origin } = {}) =>
      fetch(url + path, {
        method: "POST",
        redirect: "manual",
        headers: {
          cookie: pair,
          "content-type": "application/x-www-form-urlencoded",
          ...(origin === null ? {} : { origin }),
        },
        body: new URLSearchParams({ token: person.formToken, ...fields }).toString(),
      }),
  };
}

interface ClientOf {
  userId: string;
  projectId?: string;
  name?: string;
  /** Id of the gateway. */
  gateway?: string;
  clientId?: string;
}

const ALLOW = query(
  "INSERT INTO client_grants (id, project_id, user_id, client_id, client_name, resource, scopes, created_at, used_at, method) " +
    "VALUES (?, ?, ?, ?, ?, ?, 'mcp offline_access', ?, NULL, 'passkey')",
);

/** Stores what the authorization server stores when a person allows a client. Returns the id. */
export async function allowClient(
  { runtime }: Pick<Site, "runtime">,
  { userId, projectId = "default", name = "Desk", gateway = "", clientId = `client-${name}` }: ClientOf,
): Promise<string> {
  const id = `cg_${crypto.randomUUID().replaceAll("-", "")}`;
  const { store, clock } = runtime.core;
  await store.write(function* (): Transaction<void> {
    yield* run(ALLOW, id, projectId, userId, clientId, name, gateway, clock.now());
    yield* touch("clients");
  });
  return id;
}

const PERSON = query(
  "INSERT INTO people (project_id, user_id, role, name, created_at, created_by) VALUES (?, ?, ?, NULL, ?, 'operator') " +
    "ON CONFLICT (project_id, user_id) DO NOTHING",
);

/** Makes somebody an invited person with a role, unless the user is one already. */
export async function invite(
  { runtime }: Pick<Site, "runtime">,
  { userId, projectId = "default", role }: { userId: string; projectId?: string; role: PersonRole },
): Promise<void> {
  const { store, clock } = runtime.core;
  await store.write(function* (): Transaction<void> {
    yield* run(PERSON, projectId, userId, role, clock.now());
    yield* touch("people");
  });
}

const PASSKEY = query(
  "INSERT INTO passkeys (project_id, user_id, id, public_key, counter, transports, name, created_at, used_at) " +
    "VALUES (?, ?, ?, 'none', 0, NULL, ?, ?, NULL)",
);

/** Stores a passkey of an invited person, with which no one can sign in. Returns the id. */
export async function addPasskey(
  { runtime }: Pick<Site, "runtime">,
  userId: string,
  name: string,
  projectId = "default",
): Promise<string> {
  const id = `pk${crypto.randomUUID().replaceAll("-", "")}`;
  const { store, clock } = runtime.core;
  await store.write(() => run(PASSKEY, projectId, userId, id, name, clock.now()));
  return id;
}

/** Links an account of the chat stand-in, in a browser in which the person is signed in. Returns the id of the connection. */
export async function linkAccount(
  site: Pick<Site, "runtime" | "url" | "key">,
  userId: string,
  projectId = "default",
  tool_name = "Chat.SendMessage",
): Promise<string> {
  const agent = api(site.url, await site.key("admin", undefined, projectId));
  const started = await agent.post("/v1/tools/authorize", { tool_name, user_id: userId });
  const browser = new Browser();
  const callback = await browser.toCallback(String(at(started.body, "url")), "alice");
  const { cookie, sessionId } = await signInBrowser(site, userId, projectId);
  const cookies = `${cookie}; runtime_consent=${browser.cookie("runtime_consent")}`;
  const end = await fetch(callback, { redirect: "manual", headers: { cookie: cookies } });
  await site.runtime.sessions.end(projectId, userId, sessionId);
  const listed = await agent.get(`/v1/admin/user_connections?user_id=${encodeURIComponent(userId)}`);
  const id = at(listed.body, "items.0.id");
  if (typeof id !== "string") throw new Error(`not linked: ${end.status} ${await end.text()}`);
  return id;
}
