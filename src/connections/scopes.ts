// Comparison of scopes: with case, order and repetition do not matter.

/** Needed scopes that are not granted. */
export function missingScopes(granted: readonly string[], needed: readonly string[]): string[] {
  return [...new Set(needed)].filter((scope) => !granted.includes(scope));
}

/** Both lists as one, each scope once, what is granted first. */
export function unionOfScopes(granted: readonly string[], needed: readonly string[]): string[] {
  return [...new Set([...granted, ...needed])];
}
