// Comparison of scopes: with case; order and repetition do not matter; a platform's other names for a scope count as
// the scope.

/** Other name → the name under which the platform grants it. */
export type ScopeAliases = Readonly<Record<string, string>>;

// They steer the protocol and are no permissions: providers answer them or not (OpenID Connect Core, sections 3.1.2.1
// and 11), and no tool waits for them.
const PROTOCOL_ONLY = ["openid", "offline_access"];

/** Needed scopes that are not granted. */
export function missingScopes(
  granted: readonly string[],
  needed: readonly string[],
  aliases: ScopeAliases = {},
): string[] {
  const held = new Set(granted.map((scope) => aliases[scope] ?? scope));
  return [...new Set(needed)].filter(
    (scope) => !held.has(aliases[scope] ?? scope) && !PROTOCOL_ONLY.includes(scope),
  );
}

/** Both lists as one, each scope once, what is granted first. */
export function unionOfScopes(granted: readonly string[], needed: readonly string[]): string[] {
  return [...new Set([...granted, ...needed])];
}
