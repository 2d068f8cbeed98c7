// Facts of this executable that stand fast when it is built. These functions run in the build (Bun's macros), and what
// they answer is put in their place: whoever asks for it loads neither catalogs nor schemas.
import { catalogs } from "../catalogs";
import { environmentName, isKeyName, KEYS } from "../src/config/keys";
import { Registry } from "../src/tools/registry";
import type { ToolLine } from "./tools-table";

/** The newest version of every tool, in the order of the listing. */
export function builtInTools(): ToolLine[] {
  return new Registry(catalogs).tools.map(({ qualifiedName, definition: { description } }) => ({
    qualified_name: qualifiedName,
    description,
  }));
}

/** Names of the keys of `runtime.yaml`, and of the variables that set them. */
export function knownKeys(): { keys: string[]; variables: string[] } {
  const keys = Object.keys(KEYS).filter(isKeyName);
  return { keys, variables: keys.map(environmentName) };
}
