// Combines cells into rectangles: runs of adjacent columns, and adjacent rows with the same run.
import type { Area } from "./a1";

/** A rectangle without gaps. `rows` has one list of cells per row. */
export interface Block<Cell> extends Area {
  rows: Cell[][];
}

interface Place {
  row: number;
  column: number;
}

/** @param cells sorted by row and column, without duplicates */
export function blocksOf<Cell extends Place>(cells: readonly Cell[]): Block<Cell>[] {
  const blocks: Block<Cell>[] = [];
  /** Blocks that the current row may extend, by first column. */
  let open = new Map<number, Block<Cell>>();
  let openRow = 0;
  let opening = new Map<number, Block<Cell>>();
  for (const run of runsOf(cells)) {
    if (run.firstRow !== openRow) {
      open = run.firstRow === openRow + 1 ? opening : new Map();
      opening = new Map();
      openRow = run.firstRow;
    }
    const above = open.get(run.firstColumn);
    const block = above?.lastColumn === run.lastColumn ? above : run;
    if (block === run) blocks.push(run);
    else {
      block.rows.push(...run.rows);
      block.lastRow = run.lastRow;
    }
    opening.set(run.firstColumn, block);
  }
  return blocks;
}

/** Blocks of one row. */
function runsOf<Cell extends Place>(cells: readonly Cell[]): Block<Cell>[] {
  const runs: Block<Cell>[] = [];
  for (const cell of cells) {
    const { row, column } = cell;
    const last = runs.at(-1);
    if (last !== undefined && last.firstRow === row && last.lastColumn + 1 === column) {
      last.rows[0]?.push(cell);
      last.lastColumn = column;
    } else {
      runs.push({ firstRow: row, lastRow: row, firstColumn: column, lastColumn: column, rows: [[cell]] });
    }
  }
  return runs;
}
