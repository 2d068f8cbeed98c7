// Who waits for whom: a few calls of one user at the same time, and one writer per spreadsheet.
import type { ToolContext } from "../../../src/tools";
import { IN_FLIGHT, LINE_MS } from "../limits";

type Line = <T>(work: () => Promise<T>) => Promise<T>;

/** The lines of one connection, shared by its runs. */
export class Lines {
  readonly #context: ToolContext;

  constructor(context: ToolContext) {
    this.#context = context;
  }

  /** A place among the calls of this user that are under way. */
  amongFew<T>(work: () => Promise<T>): Promise<T> {
    return this.#line("calls", IN_FLIGHT)(work);
  }

  /** After whoever else of this connection writes to the spreadsheet. */
  alone<T>(spreadsheetId: string, work: () => Promise<T>): Promise<T> {
    return this.#line(`writes to ${spreadsheetId}`, 1)(work);
  }

  #line(name: string, width: number): Line {
    const { cache } = this.#context;
    const line = cache.get<Line>(name) ?? lineOf(width);
    cache.set(name, line, LINE_MS);
    return line;
  }
}

/** Work handed to it starts in order, `width` pieces at a time. */
function lineOf(width: number): Line {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running < width) running++;
    // Whoever finishes hands its place on, so nobody can slip in between.
    else await new Promise<void>((start) => waiting.push(start));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}
