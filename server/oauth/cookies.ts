// Cookies that bind an authorization to the browser that began it: the person who answers must be the one whose browser gets the code. One for each, so
// that several can be open. The library's own cookies have paths, which `__Host-` does not allow, and do not leave this process.
import { hashOf } from "../../src/crypto";

const MAX_AGE_S = 1800;

function nameOf(uid: string, publicUrl: string): string {
  const name = `runtime_oauth_${hashOf(uid).slice(0, 16)}`;
  return publicUrl.startsWith("https:") ? `__Host-${name}` : name;
}

/** The cookie of an authorization. `isOver`: removes it. */
export function authorizationCookie(uid: string, publicUrl: string, isOver = false): string {
  const secure = publicUrl.startsWith("https:") ? "; Secure" : "";
  const value = isOver ? "" : hashOf(`cookie ${uid}`);
  const age = isOver ? 0 : MAX_AGE_S;
  return `${nameOf(uid, publicUrl)}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${age}${secure}`;
}

/** Whether the browser of a request began the authorization. */
export function hasAuthorizationCookie({ headers }: Request, uid: string, publicUrl: string): boolean {
  const wanted = `${nameOf(uid, publicUrl)}=${hashOf(`cookie ${uid}`)}`;
  return (headers.get("cookie") ?? "").split(";").some((part) => part.trim() === wanted);
}
