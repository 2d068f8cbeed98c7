// A person who is signed in with a browser, for tests of the pages that need one.
import type { PersonRole } from "../../src/identity";
import { query, run, touch, type Transaction } from "../../src/store";
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
  const startedBy = crypto.randomUUID();
  const cookie = await sessions.begin({ projectId, userId, method: "passkey", startedBy, userAgent });
  const person = await sessions.find(projectId, cookie);
  if (cookie === undefined || person === undefined) throw new Error("no session has begun");
  const pair = `runtime_session_${projectId}=${cookie}`;
  const page = projectId === "default" ? "/me" : `/me/${projectId}`;
  return {
    cookie: pair,
    sessionId: person.sessionId,
    open: (path, headers = {}) =>
      fetch(url + path, { redirect: "manual", headers: { cookie: pair, ...headers } }),
    send: (fields, { path = page, origin = url } = {}) =>
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
  "INSERT INTO client_grants (id, project_id, user_id, client_id, client_name, resource, scopes, created_at, used_at) " +
    "VALUES (?, ?, ?, ?, ?, ?, 'mcp offline_access', ?, NULL)",
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
  "INSERT INTO people (project_id, user_id, role, name, created_at, created_by) VALUES (?, ?, ?, NULL, ?, 'operator')",
);

/** Makes somebody an invited person with a role. */
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
