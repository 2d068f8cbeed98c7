// The ID token of a token answer (OpenID Connect Core 1.0, section 3.1.3.7). It comes directly from the token endpoint, so
// that server is authenticated by TLS instead of by the signature (rule 6).
import { isObject, type Json, type JsonObject } from "../base";
import type { EffectiveOAuth2 } from "../providers";

/** Clocks of two machines differ a little. */
const TOLERANCE_S = 30;

/** The subject of the ID token, or why it is not valid. Neither: there is none. */
export function checkIdToken(
  answer: Json,
  provider: Pick<EffectiveOAuth2, "clientId" | "issuer">,
  now: number,
): { subject?: string; fault?: string } {
  const token = isObject(answer) ? answer["id_token"] : undefined;
  if (typeof token !== "string" || token.split(".").length !== 3) return {};
  const claims = claimsOf(token);
  const fault = claims === undefined ? "it cannot be read" : faultOf(claims, provider, now / 1000);
  if (fault !== undefined) return { fault };
  const subject = claims?.["sub"];
  return typeof subject === "string" ? { subject } : {};
}

/** The answer without what a wrong ID token says. */
export function withoutIdToken(answer: Json): Json {
  if (!isObject(answer)) return answer;
  const { id_token: _, ...rest } = answer;
  return rest as JsonObject;
}

function faultOf(
  { iss, sub, aud, azp, exp, iat }: JsonObject,
  { clientId, issuer }: Pick<EffectiveOAuth2, "clientId" | "issuer">,
  now: number,
): string | undefined {
  // A record without an issuer gives nothing to compare with.
  if (issuer !== undefined && iss !== issuer) return "it is from another issuer";
  const audiences = Array.isArray(aud) ? aud : [aud];
  if (!audiences.includes(clientId)) return "its audience is not our client";
  if ((azp !== undefined || audiences.length > 1) && azp !== clientId)
    return "it was issued to another client";
  if (typeof exp !== "number" || exp <= now - TOLERANCE_S) return "it has expired";
  if (typeof iat !== "number" || iat > now + TOLERANCE_S) return "it is not valid yet";
  return typeof sub === "string" && sub !== "" ? undefined : "it names no subject";
}

function claimsOf(token: string): JsonObject | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
    return isObject(claims) ? (claims as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}
