// Names that models can use: vendors refuse dots, and whole requests with one such name in them.
import type { Tool } from "../registry";

const LONGEST = 64;
const DIGEST = 8;

/**
 * A name of letters, digits, `_` and `-` for each tool, at most 64 characters, no two alike in any case: `Toolkit_DoThis`.
 * `preferred` says whose a name is when several tools would bear it; the others get a digest of their full name. An older
 * version of a tool has its version in the name.
 */
export function modelNames(
  tools: readonly Tool[],
  preferred: (name: string) => Tool | undefined,
): ReadonlyMap<Tool, string> {
  const names = new Map<Tool, string>();
  const taken = new Set<string>();
  const give = (tool: Tool, name: string): void => {
    names.set(tool, name);
    taken.add(name.toLowerCase());
  };
  for (const tool of tools) {
    if (!tool.newest) continue;
    const plain = plainName(tool);
    if (plain.length <= LONGEST && isOwner(tool, plain, preferred)) give(tool, plain);
  }
  for (const tool of tools) {
    if (names.has(tool)) continue;
    const plain = tool.newest ? plainName(tool) : sanitized(tool.fullyQualifiedName);
    give(tool, plain.length > LONGEST || taken.has(plain.toLowerCase()) ? digested(tool, plain) : plain);
  }
  return names;
}

function plainName({ qualifiedName }: Tool): string {
  return sanitized(qualifiedName);
}

function sanitized(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, "_");
}

function isOwner(tool: Tool, plain: string, preferred: (name: string) => Tool | undefined): boolean {
  return preferred(plain) === tool;
}

function digested({ fullyQualifiedName }: Tool, plain: string): string {
  const digest = new Bun.CryptoHasher("sha256").update(fullyQualifiedName).digest("hex").slice(0, DIGEST);
  return `${plain.slice(0, LONGEST - DIGEST - 1)}_${digest}`;
}
