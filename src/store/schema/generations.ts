// The generation counters. A migration that adds a kind of record inserts its counter.
import type { Kind } from "../port";

/** A statement that inserts the counters of these kinds, starting at 0. Existing counters are not changed. */
export function generations(...kinds: readonly Kind[]): string {
  const rows = kinds.map((kind) => `('${kind}', 0)`).join(", ");
  return `INSERT INTO generations (kind, value) VALUES ${rows} ON CONFLICT (kind) DO NOTHING`;
}
