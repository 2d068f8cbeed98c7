// Which scope a refused call lacks.
import { ScopesLost } from "../../../src/tools";
import { type Answer, scopesFrom } from "./exchange";
import type { Call } from "./failure";
import { textIn } from "./json";
import { methodNamed } from "./methods";

/**
 * The platform may answer with every scope that would do, or with the whole family of a method. The user must be
 * asked for the one that this call lacks: what the method needs for these arguments, less what the token holds now,
 * whatever the stored grant claims.
 */
export function lostScopes(call: Call, answer: Answer, code: string): ScopesLost {
  const provided = told(answer, "provided") ?? answer.scopesHeld;
  const lacking = (scopes: readonly string[]): string[] =>
    scopes.filter((scope) => provided?.includes(scope) !== true);
  // The other codes speak of the token's type or the user's role: no scope of ours is known to be missing.
  const own = code === "missing_scope" ? lacking(methodNamed(call.method).scopes(call.params)) : [];
  return new ScopesLost(code, own.length > 0 ? own : lacking(told(answer, "needed") ?? []), provided);
}

function told(answer: Answer, field: "needed" | "provided"): string[] | undefined {
  const text = answer.body === undefined ? undefined : textIn(answer.body, field);
  return text === undefined ? undefined : scopesFrom(text);
}
