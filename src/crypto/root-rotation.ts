// Wraps all data keys with a new root key, in one transaction. Damaged data keys are reported before anything changes.
import { conflict } from "../errors";
import { type Lease, run, stillHeld, type Store, touch, type Transaction } from "../store";
import { decrypt, encrypt } from "./cipher";
import { wrapContext } from "./data-keys";
import type { Random } from "./ids";
import { ALL_KEYS, type ProjectKeyRow, rewriteKeys, SET_ROOT } from "./repository";
import type { Roots } from "./roots";
import type { KeyEntry } from "./types";

export interface DamagedKey {
  id: string;
  projectId: string;
}

interface Wrapping {
  roots: Roots;
  damaged: readonly DamagedKey[];
  random: Random;
  entry: KeyEntry | undefined;
}

/**
 * Wraps all data keys with the root key of this id and makes it the current one. The data keys in `damaged` are skipped.
 * Throws `conflict` if any other data key cannot be unwrapped.
 */
export function* wrapAll(
  lease: Lease,
  rootId: string,
  { roots, damaged, random, entry }: Wrapping,
): Transaction<void> {
  if (!(yield* stillHeld(lease))) throw tookTooLong();
  const skipped = new Set(damaged.map(({ id }) => id));
  yield* rewriteKeys((row) => {
    if (skipped.has(row.id)) return row;
    const text = unwrapped(roots, row);
    if (text === undefined) throw refusal([named(row)]);
    const context = wrapContext(row.project_id, row.id);
    return { ...row, root_key_id: rootId, wrapped: encrypt(roots.wrappingOf(rootId), context, text, random) };
  });
  yield* run(SET_ROOT, rootId);
  yield* touch("data_keys");
  if (entry !== undefined) yield* entry(rootId);
}

export async function damagedKeys(store: Store, roots: Roots): Promise<DamagedKey[]> {
  const rows = await store.all(ALL_KEYS);
  return rows.filter((row) => unwrapped(roots, row) === undefined).map(named);
}

/** The lease of the rotation was lost. */
export function tookTooLong(): Error {
  return conflict("The rotation took too long; nothing was changed. Try again.");
}

/** Thrown before the old root key is deleted: a backup of the damaged rows would be useless without it. */
export function refusal(damaged: readonly DamagedKey[]): Error {
  const names = damaged.slice(0, 10).map(({ id, projectId }) => `${id} of project ${projectId}`);
  const more = damaged.length > names.length ? ` and ${damaged.length - names.length} more` : "";
  return conflict(
    `Some data keys cannot be unwrapped: ${names.join(", ")}${more}. Nothing was changed. Restore them from a backup, ` +
      "which needs the current root key, or use --leave-damaged: values sealed with them can then never be opened again.",
  );
}

function named({ id, project_id }: ProjectKeyRow): DamagedKey {
  return { id, projectId: project_id };
}

/** Undefined for a data key that is damaged or was wrapped with a root key that no longer exists. */
function unwrapped(
  roots: Roots,
  { id, project_id, root_key_id, wrapped }: ProjectKeyRow,
): string | undefined {
  const wrapping = roots.find(root_key_id);
  if (wrapping === undefined) return undefined;
  try {
    return decrypt(wrapping, wrapContext(project_id, id), wrapped);
  } catch {
    return undefined;
  }
}
