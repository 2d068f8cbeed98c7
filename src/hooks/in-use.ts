// Whether hooks use a plugin that is to be deleted.
import { conflict } from "../errors";
import type { HookRow } from "./repository";

/** Hooks that an error names. A plugin may have thousands. */
const MAX_NAMED = 10;

/** Throws `conflict`, with the names of the hooks of a plugin that is to be deleted. */
export function checkUnused(hooks: readonly HookRow[]): void {
  if (hooks.length === 0) return;
  const named = hooks.slice(0, MAX_NAMED).map(({ name, id }) => `${JSON.stringify(name)} (${id})`);
  const more = hooks.length > MAX_NAMED ? ` and ${hooks.length - MAX_NAMED} more` : "";
  throw conflict(
    `Hooks use this plugin: ${named.join(", ")}${more}. Delete them first, or set the plugin's status to inactive.`,
  );
}
