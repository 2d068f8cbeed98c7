// Names of tools for models: vendors refuse whole requests because of a name with a dot.
import type { Tool } from "../registry";

const MAX_LENGTH = 64;
const DIGEST_LENGTH = 8;

/**
 * A name of letters, digits, `_` and `-` for each tool, at most 64 characters, unique ignoring case: `Toolkit_DoThis`.
 * `preferred` returns the owner of a name that several tools would have; the others get a digest of their full name. The
 * name of an older version of a tool contains the version. `taken`: names of other tools, in lower case.
 */
export function modelNames(
  tools: readonly Tool[],
  preferred: (name: string) => Tool | undefined,
  taken: Set<string> = new Set(),
): ReadonlyMap<Tool, string> {
  const names = new Map<Tool, string>();
  const give = (tool: Tool, name: string): void => {
    names.set(tool, name);
    taken.add(name.toLowerCase());
  };
  for (const tool of tools) {
    if (!tool.newest) continue;
    const plain = plainName(tool);
    if (plain.length <= MAX_LENGTH && !taken.has(plain.toLowerCase()) && isOwner(tool, plain, preferred))
      give(tool, plain);
  }
  for (const tool of tools) {
    if (names.has(tool)) continue;
    const plain = tool.newest ? plainName(tool) : sanitized(tool.fullyQualifiedName);
    give(tool, plain.length > MAX_LENGTH || taken.has(plain.toLowerCase()) ? digested(tool, plain) : plain);
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
  const digest = new Bun.CryptoHasher("sha256")
    .update(fullyQualifiedName)
    .digest("hex")
    .slice(0, DIGEST_LENGTH);
  return `${plain.slice(0, MAX_LENGTH - DIGEST_LENGTH - 1)}_${digest}`;
}
