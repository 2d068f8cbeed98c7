// Rows of the generation counters. A migration that brings a new kind of record inserts its counter.
import type { Kind } from "../port";

/** The statement that starts the counters of these kinds at 0, and leaves alone those that exist. */
export function generations(...kinds: readonly Kind[]): string {
  const rows = kinds.map((kind) => `('${kind}', 0)`).join(", ");
  return `INSERT INTO generations (kind, value) VALUES ${rows} ON CONFLICT (kind) DO NOTHING`;
}
