// What a bench is: one file in `benches/` that measures one or more rows of the table of bounds.
import type { Bound } from "./bound";
import type { Children } from "./children";
import type { Options } from "./options";

/** One line of the report. */
export interface Row {
  name: string;
  /** What was seen, with its unit: `33,120/s`. */
  measured: string;
  /** What it is compared with; empty when the bound is a plain figure. */
  baseline: string;
  /** The figure that the bound speaks of: a ratio, or megabytes. Absent when the row was skipped. */
  figure?: number;
  /** Smallest and largest figure of the rounds. */
  spread?: readonly [number, number];
  bound: Bound;
  /** The machine was too busy for the figure to be believed when it meets its bound; a miss is a miss all the same. */
  doubtful?: boolean;
  /** Why the row was skipped or is doubtful, or what to know about the figure. */
  note?: string;
  /** More figures, for the JSON report. */
  details?: Readonly<Record<string, number>>;
}

/** What a bench may use. Everything it starts is a child of `children`; everything it writes is below `folder`. */
export interface Context {
  options: Options;
  children: Children;
  folder: string;
}

export interface Bench {
  name: string;
  about: string;
  run(context: Context): Promise<Row[]>;
}
