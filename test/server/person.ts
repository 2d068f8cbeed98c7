// A person who is signed in with a browser, for tests of the pages that need one.
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
