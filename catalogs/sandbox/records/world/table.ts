// The records of one form, in the order in which they were added.
import type { SeedValues } from "../types";
import type { Values } from "./fields";

export interface Row {
  readonly id: string;
  values: Values;
  readonly addedAt: number;
  modifiedAt: number;
  readonly addedBy: string;
  modifiedBy: string;
}

export class Table {
  readonly #rows = new Map<string, Row>();
  readonly #nextId: () => string;
  readonly #now: () => number;

  constructor(nextId: () => string, now: () => number) {
    this.#nextId = nextId;
    this.#now = now;
  }

  get rows(): readonly Row[] {
    return [...this.#rows.values()];
  }

  find(id: string): Row | undefined {
    return this.#rows.get(id);
  }

  restore(rows: readonly Row[]): void {
    this.#rows.clear();
    for (const row of rows) this.#rows.set(row.id, { ...row });
  }

  /** Whether another record has this value. */
  hasOther(field: string, value: string, except: string | undefined): boolean {
    return this.rows.some((row) => row.id !== except && row.values[field] === value);
  }

  add(values: SeedValues, by: string): Row {
    const now = this.#now();
    const id = this.#nextId();
    const row: Row = { id, values, addedAt: now, modifiedAt: now, addedBy: by, modifiedBy: by };
    this.#rows.set(id, row);
    return row;
  }

  change(row: Row, values: Values, by: string): void {
    row.values = values;
    row.modifiedAt = this.#now();
    row.modifiedBy = by;
  }

  delete(id: string): void {
    this.#rows.delete(id);
  }

  clear(): void {
    this.#rows.clear();
  }
}
