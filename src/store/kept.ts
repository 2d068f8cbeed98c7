// The kept rows of transactions that share a commit: each is read once, and only its last change is stored.
import type { KeptStep, SqlValue, Step } from "./port";

interface Table {
  kind: KeptStep["kind"];
  /** By id; undefined: there is no row. */
  rows: Map<string, unknown>;
  changes: Map<string, Step>;
}

/** Only for transactions that are undone together: their changes go with the rows. */
export class KeptRows {
  /** By the statement that finds the rows. */
  readonly #tables = new Map<string, Table>();

  has({ find, id }: KeptStep): boolean {
    return this.#tables.get(find)?.rows.has(id) ?? false;
  }

  row({ find, id }: KeptStep): unknown {
    return this.#tables.get(find)?.rows.get(id);
  }

  /** Keeps what was read. */
  keep<Row>(kept: KeptStep, row: Row): Row {
    this.#table(kept).rows.set(kept.id, row);
    return row;
  }

  /** `step`: a `putKept`. */
  change(kept: KeptStep, step: Step): void {
    const { rows, changes } = this.#table(kept);
    rows.set(kept.id, kept.row);
    changes.set(kept.id, step);
  }

  /** A kind was touched. */
  touched(kinds: readonly SqlValue[]): void {
    for (const { kind, rows } of this.#tables.values())
      if (kind !== undefined && kinds.includes(kind)) rows.clear();
  }

  /** The steps that store the changes. */
  changes(): Step[] {
    return [...this.#tables.values()].flatMap(({ changes }) => [...changes.values()]);
  }

  #table({ find, kind }: KeptStep): Table {
    let table = this.#tables.get(find);
    if (table === undefined) this.#tables.set(find, (table = { kind, rows: new Map(), changes: new Map() }));
    return table;
  }
}
