// Functions of a namespace: chat completions have no namespaces, so the name of the function contains it.

/** The name of a function for chat completions. */
export function joinedName(namespace: unknown, name: string): string {
  return typeof namespace === "string" && namespace !== "" ? `${namespace}__${name}` : name;
}

/** The functions of a request that are in a namespace, by their joined names. */
export type Namespaces = ReadonlyMap<string, { namespace: string; name: string }>;

/** The fields of a call for the caller. */
export function separateName(name: string, namespaces: Namespaces): { name: string; namespace?: string } {
  return namespaces.get(name) ?? { name };
}
