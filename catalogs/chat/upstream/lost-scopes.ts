// Which scope a refused call lacks.
import { ScopesLost } from "../../../src/tools";
import type { WholeAnswer } from "../../upstream/exchange";
import type { Call } from "./failure";
import { textIn } from "../../upstream/json";
import { methodNamed } from "./methods";

/**
 * The platform may answer with every scope that would do, or with the whole family of a method. The user must be
 * asked for the one that this call lacks: what the method needs for these arguments, less what the token holds now,
 * whatever the stored grant claims.
 */
export function lostScopes(call: Call, answer: WholeAnswer, code: string): ScopesLost {
  const provided = told(answer, "provided") ?? scopesFrom(answer.headers.get("x-oauth-scopes"));
  const lacking = (scopes: readonly string[]): string[] =>
    scopes.filter((scope) => provided?.includes(scope) !== true);
  const needed = told(answer, "needed") ?? [];
  // The other codes speak of the token's type or the user's role: no scope of ours is known to be missing.
  const own = code === "missing_scope" ? lacking(methodNamed(call.method).scopes(call.params)) : [];
  // Where nothing says what the token holds, of the call's scopes only those can be missing that are asked for.
  const asked = provided === undefined ? own.filter((scope) => needed.includes(scope)) : [];
  const missing = [asked, own, lacking(needed)].find((scopes) => scopes.length > 0) ?? [];
  return new ScopesLost(code, missing, provided);
}

function told(answer: WholeAnswer, field: "needed" | "provided"): string[] | undefined {
  return scopesFrom(textIn(answer.body ?? {}, field));
}

/** The platform separates scopes by commas, in older answers by spaces. */
function scopesFrom(text: string | null | undefined): string[] | undefined {
  return text?.split(/[\s,]+/).filter((scope) => scope !== "");
}
