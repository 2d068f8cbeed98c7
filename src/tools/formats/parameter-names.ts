// Names of parameters for models. A vendor refuses a whole request because of one name with another character, such as
// `$filter` or `user name`, or with more than 64; others only take names like these as well. The input is read by both names.

const SIMPLE = /^[a-zA-Z0-9_.-]{1,64}$/;
const MAX_LENGTH = 64;
const DIGEST_LENGTH = 8;

/** The name for models of each parameter, by its own name. Those that are simple already stay. */
export function parameterNames(names: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set(names.filter((name) => SIMPLE.test(name)));
  const simple = new Map([...taken].map((name) => [name, name]));
  for (const name of names.toSorted()) {
    if (simple.has(name)) continue;
    const plain = name.replaceAll(/[^a-zA-Z0-9_.-]/gu, "_");
    const isFree = SIMPLE.test(plain) && !taken.has(plain);
    const given = isFree ? plain : digested(name, plain);
    simple.set(name, given);
    taken.add(given);
  }
  return simple;
}

function digested(name: string, plain: string): string {
  const digest = new Bun.CryptoHasher("sha256").update(name).digest("hex").slice(0, DIGEST_LENGTH);
  return `${plain.slice(0, MAX_LENGTH - DIGEST_LENGTH - 1)}_${digest}`;
}
