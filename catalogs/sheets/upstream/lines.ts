// Who waits for whom: a few calls of one user at the same time, and one writer per spreadsheet.
import type { ToolContext } from "../../../src/tools";
import { Limiter } from "../../upstream/limiter";
import { IN_FLIGHT, LINE_MS } from "../limits";

/** Writers of all users of this process: two that both find a sheet too small must not both enlarge it. */
const writers = new Map<string, Limiter>();

/** The lines in which the calls of one connection stand. */
export class Lines {
  readonly #context: ToolContext;

  constructor(context: ToolContext) {
    this.#context = context;
  }

  /** A place among the calls of this user that are under way. */
  amongFew<T>(work: () => Promise<T>): Promise<T> {
    const { lasting } = this.#context.cache;
    const line = lasting.get<Limiter>("calls") ?? new Limiter(IN_FLIGHT);
    lasting.set("calls", line, LINE_MS);
    return line.run(work);
  }

  /** After whoever else writes to the spreadsheet. */
  async alone<T>(spreadsheetId: string, work: () => Promise<T>): Promise<T> {
    const line = writers.get(spreadsheetId) ?? new Limiter(1);
    writers.set(spreadsheetId, line);
    try {
      return await line.run(work);
    } finally {
      if (line.isIdle) writers.delete(spreadsheetId);
    }
  }
}
