// What is kept of the answer of a user info request. The address may be an internal service that answers something else
// entirely, and administrators see what is kept: so it is never the whole answer.
import { isObject, type Json, type JsonObject } from "../base";

/** Claims of OpenID Connect Core, section 5.1, and the names that other platforms use for them. */
const CLAIMS = new Set([
  "sub",
  "id",
  "user_id",
  "name",
  "given_name",
  "family_name",
  "middle_name",
  "nickname",
  "preferred_username",
  "username",
  "login",
  "display_name",
  "profile",
  "picture",
  "avatar_url",
  "website",
  "email",
  "email_verified",
  "verified_email",
  "hd",
  "gender",
  "birthdate",
  "zoneinfo",
  "locale",
  "phone_number",
  "phone_number_verified",
  "updated_at",
]);

/** The well-known claims about a person, if they are plain values; undefined if there are none. */
export function personOf(answer: Json): JsonObject | undefined {
  if (!isObject(answer)) return undefined;
  const claims = Object.entries(answer).filter(
    ([name, value]) => CLAIMS.has(name) && value !== null && typeof value !== "object",
  );
  return claims.length === 0 ? undefined : (Object.fromEntries(claims) as JsonObject);
}
