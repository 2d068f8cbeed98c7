// What the requests of a ceremony have in common. They come from our own pages only, and each answer is bound to the browser
// that asked, by a cookie.
import type { Static, TSchema } from "typebox";
import { checked } from "../../src/base";
import { newToken } from "../../src/crypto";
import { forbidden, RuntimeError } from "../../src/errors";
import { type Browser, returnPath } from "../../src/people";
import { bodyLimits, readJsonBody } from "../body";
import type { Front, Incoming } from "../front";
import { browserCookie, readBrowser, readSession, sessionCookie } from "./cookie";
import { isOwnOrigin } from "./localhost";

/** Of the body of a request. */
export const MAX_BYTES = 100_000;

/** The JSON that the script of an own page has sent. Throws `forbidden` for one of another site. */
export async function bodyOf<T extends TSchema>(
  front: Front,
  { request }: Incoming,
  schema: T,
): Promise<Static<T>> {
  const origin = request.headers.get("origin");
  // Browsers always send it with a POST of a script.
  if (origin === null || !isOwnOrigin(origin, front.runtime.core.publicUrl()))
    throw forbidden("This request was not sent by a page of this server.");
  const limits = { ...bodyLimits(front.runtime.core.settings), maxBytes: MAX_BYTES };
  const { value } = await readJsonBody(request, limits);
  return checked(schema, value, "request body");
}

/** The browser at the begin of a ceremony, which may get its cookie now. */
export function beginning(
  front: Front,
  incoming: Incoming,
  project: string,
): { browser: Browser; cookies: string[] } {
  const { core } = front.runtime;
  const known = readBrowser(incoming.request, core.publicUrl());
  const cookie = known ?? newToken(core.random);
  return {
    browser: browserWith(front, incoming, project, cookie),
    cookies: known === undefined ? [browserCookie(cookie, core.publicUrl())] : [],
  };
}

/** The browser at the end of a ceremony. Throws `forbidden` without its cookie. */
export function begunBrowser(front: Front, incoming: Incoming, project: string): Browser {
  const cookie = readBrowser(incoming.request, front.runtime.core.publicUrl());
  if (cookie === undefined)
    throw forbidden("Your browser sent no cookie. Allow cookies for this address, then try again.");
  return browserWith(front, incoming, project, cookie);
}

function browserWith(
  { runtime }: Front,
  { request, address }: Incoming,
  project: string,
  cookie: string,
): Browser {
  return {
    cookie,
    session: readSession(request, project, runtime.core.publicUrl()),
    userAgent: request.headers.get("user-agent") ?? undefined,
    address,
  };
}

/** Runs a check of a secret. One that is refused counts as a bad credential. */
export async function counted<T>(
  { badCredentials }: Front,
  { address }: Incoming,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof RuntimeError && (error.status === 403 || error.status === 404))
      badCredentials.count(address);
    throw error;
  }
}

export interface BegunSession {
  projectId: string;
  cookie: string;
}

export function cookieOfSession({ runtime }: Front, { cookie, projectId: project }: BegunSession): string {
  const { core } = runtime;
  return sessionCookie(cookie, project, core.publicUrl(), core.settings["sessions.lifetime"]);
}

export function signedInAnswer(front: Front, session: BegunSession, to: string | undefined): Response {
  return json({ to: toAfter(front, session.projectId, to) }, [cookieOfSession(front, session)]);
}

/** The path of the page after a sign-in, at the host of the request. `to`: a path below the address of the server. */
export function toAfter({ runtime }: Front, project: string, to: string | undefined): string {
  const { pathname } = new URL(runtime.core.publicUrl());
  return pathname.replace(/\/$/, "") + returnPath(to ?? null, project);
}

export function json(value: unknown, cookies: readonly string[]): Response {
  const answer = Response.json(value, {
    headers: { "cache-control": "no-store", "x-content-type-options": "nosniff" },
  });
  for (const cookie of cookies) answer.headers.append("set-cookie", cookie);
  return answer;
}
