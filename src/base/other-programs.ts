// The environment of programs that this one starts.

/** Variables without the secrets of this program, and without options that make a program load code. */
export function environmentForOthers(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && !entry[0].startsWith("RUNTIME_") && entry[0] !== "NODE_OPTIONS",
    ),
  );
}
