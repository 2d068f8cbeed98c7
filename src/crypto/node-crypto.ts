// `node:crypto`, when something first needs it. It brings streams with it and takes longer to load than the databases to
// open; a server that has just started needs hashes and random bytes only, which are there without.

export type NodeCrypto = typeof import("node:crypto");

let loaded: NodeCrypto | undefined;

export function nodeCrypto(): NodeCrypto {
  return (loaded ??= process.getBuiltinModule("node:crypto"));
}
