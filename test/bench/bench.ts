// A bench: one file in `benches/` that measures one or more rows of the table of bounds.
import type { Bound } from "./bound";
import type { Children } from "./children";
import type { Options } from "./options";

/** One line of the report. */
export interface Row {
  name: string;
  /** The measured value with its unit: `33,120/s`. */
  measured: string;
  /** The baseline; empty if the bound is an absolute figure. */
  baseline: string;
  /** The figure of the bound: a ratio, or megabytes. Absent if the row was skipped. */
  figure?: number;
  /** Smallest and largest figure of the rounds. */
  spread?: readonly [number, number];
  bound: Bound;
  /** The machine was too busy to trust a figure that meets its bound; a miss is still a miss. */
  doubtful?: boolean;
  /** The reason of a skipped or doubtful row, or a remark on the figure. */
  note?: string;
  /** More figures, for the JSON report. */
  details?: Readonly<Record<string, number>>;
}

/** The context of a bench. It starts processes as `children` and writes below `folder`. */
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
