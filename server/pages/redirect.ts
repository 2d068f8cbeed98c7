// Sends a browser on.
import { setCookie } from "./cookie";

/** 303 to another address, with the cookie that binds what follows to this browser. */
export function redirect(location: string, cookie: string | undefined, publicUrl: string): Response {
  const headers = new Headers({ location, "cache-control": "no-store", "referrer-policy": "no-referrer" });
  if (cookie !== undefined) headers.set("set-cookie", setCookie(cookie, publicUrl));
  return new Response(null, { status: 303, headers });
}
