// Loads `node:crypto` on first use: it loads streams too, which takes longer than to open the databases, and a start needs
// only hashes and random bytes.

export type NodeCrypto = typeof import("node:crypto");

let loaded: NodeCrypto | undefined;

export function nodeCrypto(): NodeCrypto {
  return (loaded ??= process.getBuiltinModule("node:crypto"));
}
