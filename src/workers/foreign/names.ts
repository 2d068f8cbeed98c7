// Names of tools and toolkits that come from outside.

const LONGEST = 128;
const SHORTEST_DIGEST = 4;

/**
 * The name behind that of the toolkit, `[A-Za-z0-9_]{1,128}`: each other character of the worker's name becomes `_`.
 * Undefined for a name that is empty or has more than 128 characters.
 */
export function toolNameOf(upstreamName: string): string | undefined {
  const name = upstreamName.replaceAll(/[^A-Za-z0-9_]/gu, "_");
  return name === "" || name.length > LONGEST ? undefined : name;
}

/**
 * The name of each tool of a worker, by the name that the worker gives it. Of several names that differ only in case or in
 * characters that were replaced, one stays as it is; the others get `_` and four hexadecimal digits of the SHA-256 of the
 * worker's name. Which one stays depends on the set of names, not on their order, which some workers change with each
 * answer: a name in which nothing was replaced goes first, then the first by code units. So a name changes only if a tool
 * is added or removed whose name collides with it. Names without a valid form are left out.
 */
export function uniqueNames(upstreamNames: readonly string[]): ReadonlyMap<string, string> {
  const named = [...new Set(upstreamNames)]
    .map((upstream) => ({ upstream, name: toolNameOf(upstream) }))
    .filter((one): one is Named => one.name !== undefined)
    .toSorted(firstToLast);
  const names = new Map<string, string>();
  const taken = new Set<string>();
  const others: Named[] = [];
  for (const one of named) {
    const key = one.name.toLowerCase();
    if (taken.has(key)) others.push(one);
    else names.set(one.upstream, one.name);
    taken.add(key);
  }
  for (const { upstream, name } of others) {
    const unique = digested(upstream, name, taken);
    names.set(upstream, unique);
    taken.add(unique.toLowerCase());
  }
  return names;
}

interface Named {
  upstream: string;
  name: string;
}

function firstToLast(left: Named, right: Named): number {
  const [leftIsPlain, rightIsPlain] = [left.upstream === left.name, right.upstream === right.name];
  if (leftIsPlain !== rightIsPlain) return leftIsPlain ? -1 : 1;
  return left.upstream < right.upstream ? -1 : 1;
}

function digested(upstream: string, name: string, taken: ReadonlySet<string>): string {
  const digest = new Bun.CryptoHasher("sha256").update(upstream).digest("hex");
  for (let length = SHORTEST_DIGEST; ; length++) {
    const unique = `${name.slice(0, LONGEST - length - 1)}_${digest.slice(0, length)}`;
    if (!taken.has(unique.toLowerCase()) || length >= digest.length) return unique;
  }
}

/** The name of a worker's toolkit: its id in PascalCase. Begins with a letter, which some model vendors require. */
export function toolkitNameOf(workerId: string): string {
  const words = workerId.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  return /^[A-Za-z]/.test(name) ? name : `Worker${name}`;
}
