// The first start after a restoration enters it into the audit trail.
import type { Audit } from "../audit";
import { isObject } from "../base";
import type { Core } from "../core";
import { query, run } from "../store";

/** Name of the fact that a restoration leaves. */
export const RESTORED = "restored";

const FIND = query<{ value: string }>("SELECT value FROM facts WHERE name = ?");
const REMOVE = query("DELETE FROM facts WHERE name = ? AND value = ?");

export async function recordRestoration({ store, log }: Core, audit: Audit): Promise<void> {
  const found = await store.get(FIND, RESTORED);
  if (found === undefined) return;
  const value: unknown = JSON.parse(found.value);
  const created = isObject(value) ? String(value["created_at"]) : "";
  await store.write(function* () {
    if ((yield* run(REMOVE, RESTORED, found.value)) === 0) return;
    yield* audit.record({ kind: "operator", projectId: null }, "backup.restore", created);
  });
  log.warn("the data folder was restored from a backup", { created_at: created });
}
