// Searches for secrets where they must not be: plain, and in the escapes in which they would travel.

/** Name → text of a planted secret. */
export type Canaries = Readonly<Record<string, string>>;

/** The forms in which a text may stand inside another. */
export function formsOf(secret: string): string[] {
  return [
    secret,
    encodeURIComponent(secret),
    new URLSearchParams({ secret }).toString().slice("secret=".length),
    jsonEscaped(secret),
    jsonEscaped(jsonEscaped(secret)),
    Buffer.from(secret).toString("hex"),
    ...base64Forms(secret),
  ];
}

/** Names of the secrets that stand in a text, in any form. */
export function found(canaries: Canaries, text: string): string[] {
  return Object.entries(canaries)
    .filter(([, secret]) => formsOf(secret).some((form) => text.includes(form)))
    .map(([name]) => name);
}

/**
 * All files of a folder as one text, byte for byte. Another process reads them: if this one closed a file of a database
 * that it has open, it would lose its locks (POSIX), and a command could then damage that database.
 */
export function bytesOf(folder: string): string {
  const { stdout, success, stderr } = Bun.spawnSync([
    "find",
    folder,
    "-type",
    "f",
    "-exec",
    "cat",
    "{}",
    "+",
  ]);
  if (!success) throw new Error(stderr.toString());
  return stdout.toString("latin1");
}

function jsonEscaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

// Where the text begins inside a longer one decides its base64 form: three of them, less the digits at the edges that
// depend on the neighbours.
function base64Forms(secret: string): string[] {
  return [0, 1, 2].flatMap((shift) => {
    const text = Buffer.from("\0".repeat(shift) + secret).toString("base64");
    const inner = text
      .slice(shift === 0 ? 0 : 4)
      .replace(/=+$/, "")
      .slice(0, -2);
    return [inner, inner.replaceAll("+", "-").replaceAll("/", "_")];
  });
}
