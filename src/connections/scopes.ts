// Comparison of scopes. It is case-sensitive; order and repetition do not matter; aliases are equal to their scope.

/** Alias → the name in the platform's grants. */
export type ScopeAliases = Readonly<Record<string, string>>;

// These scopes control the protocol and are not permissions. Providers may leave them out of the grant (OpenID Connect
// Core, sections 3.1.2.1 and 11).
const PROTOCOL_ONLY = ["openid", "offline_access"];

/** Needed scopes that are not granted. */
export function missingScopes(
  granted: readonly string[],
  needed: readonly string[],
  aliases: ScopeAliases = {},
): string[] {
  const nameOf = (scope: string): string => aliases[scope] ?? scope;
  const isGranted = (scope: string): boolean => granted.some((each) => nameOf(each) === nameOf(scope));
  return [...new Set(needed.filter((scope) => !isGranted(scope) && !PROTOCOL_ONLY.includes(scope)))];
}

/** Both lists without duplicates, granted scopes first. */
export function unionOfScopes(granted: readonly string[], needed: readonly string[]): string[] {
  return [...new Set([...granted, ...needed])];
}
