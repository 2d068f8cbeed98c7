// The user info endpoint of OpenID Connect. Its refusals are those of OAuth, not of the other interfaces.
import { claimsOf } from "./id-token";
import { EMAIL, OPENID, PROFILE } from "./scopes";
import type { Caller } from "./tokens";

export function answerUserInfo(caller: Caller | null): Response {
  if (caller === null) return refused(401, "invalid_request", "Invalid Credentials");
  if (![EMAIL, PROFILE, OPENID].some((scope) => caller.scopes.includes(scope))) {
    return refused(403, "insufficient_scope", "The token does not cover the profile.");
  }
  return Response.json(claimsOf(caller.person, caller.scopes));
}

function refused(status: number, error: string, error_description: string): Response {
  const headers = { "www-authenticate": `Bearer realm="sandbox", error="${error}"` };
  return Response.json({ error, error_description }, { status, headers });
}
