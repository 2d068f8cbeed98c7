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
  /** Blocks that the current row may extend, sorted by column; the first `passed` end before its next run. */
  let open: Block<Cell>[] = [];
  let passed = 0;
  let openRow = 0;
  let opening: Block<Cell>[] = [];
  for (const run of runsOf(cells)) {
    if (run.firstRow !== openRow) {
      open = run.firstRow === openRow + 1 ? opening : [];
      opening = [];
      passed = 0;
      openRow = run.firstRow;
    }
    while ((open[passed]?.firstColumn ?? Infinity) < run.firstColumn) passed++;
    const above = open[passed];
    const isSame = above?.firstColumn === run.firstColumn && above.lastColumn === run.lastColumn;
    const block = isSame ? above : run;
    if (block === run) blocks.push(run);
    else {
      block.rows.push(...run.rows);
      block.lastRow = run.lastRow;
    }
    opening.push(block);
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
