// Who waits for whom: a few calls of one user at the same time, and one writer per spreadsheet.
import type { ToolContext } from "../../../src/tools";
import { IN_FLIGHT, LINE_MS } from "../limits";

/** Writers of all users of this process: two that both find a sheet too small must not both enlarge it. */
const writers = new Map<string, Line>();

/** The lines in which the calls of one connection stand. */
export class Lines {
  readonly #context: ToolContext;

  constructor(context: ToolContext) {
    this.#context = context;
  }

  /** A place among the calls of this user that are under way. */
  amongFew<T>(work: () => Promise<T>): Promise<T> {
    const { lasting } = this.#context.cache;
    const line = lasting.get<Line>("calls") ?? new Line(IN_FLIGHT);
    lasting.set("calls", line, LINE_MS);
    return line.run(work);
  }

  /** After whoever else writes to the spreadsheet. */
  async alone<T>(spreadsheetId: string, work: () => Promise<T>): Promise<T> {
    const line = writers.get(spreadsheetId) ?? new Line(1);
    writers.set(spreadsheetId, line);
    try {
      return await line.run(work);
    } finally {
      if (line.isIdle) writers.delete(spreadsheetId);
    }
  }
}

/** Work handed to it starts in order, `width` pieces at a time. */
class Line {
  readonly #width: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(width: number) {
    this.#width = width;
  }

  get isIdle(): boolean {
    return this.#running === 0;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#width) this.#running++;
    // Whoever finishes hands its place on, so nobody can slip in between.
    else await new Promise<void>((start) => this.#waiting.push(start));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
