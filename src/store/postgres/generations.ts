// The generations, as the database tells them. A standby that is promoted may lack the last commits; its next ones then give
// a generation the number that it had before, after other changes. So the generations of another server, or of the same one
// after a restart, are other numbers, and no cache that was filled before is valid.

/** One text is faster to read than rows, and most often it is the same as before. */
export const GENERATIONS =
  "SELECT string_agg(kind || '=' || value, ' ' ORDER BY kind) || ' server=' || extract(epoch FROM pg_postmaster_start_time()) " +
  "AS generations FROM generations";

/** More than a generation can be: it grows with each change. */
const STEP = 2 ** 36;
/** Stays what it is: the number of the newest migration. */
const SCHEMA = "schema";

export class Generations {
  #text = "";
  #values: ReadonlyMap<string, number> = new Map();
  /** The time at which it was started. */
  #server: number | undefined;
  #added = 0;

  /** By kind. */
  of(text: string): ReadonlyMap<string, number> {
    if (text === this.#text) return this.#values;
    const { server, values } = parsed(text);
    if (this.#server !== undefined && server !== this.#server) this.#added += STEP;
    this.#server = server;
    this.#text = text;
    this.#values = new Map(
      values.map(([kind, value]) => [kind, kind === SCHEMA ? value : value + this.#added]),
    );
    return this.#values;
  }
}

function parsed(text: string): { server: number | undefined; values: (readonly [string, number])[] } {
  const pairs = text.split(" ").map((pair) => {
    const [name = "", value] = pair.split("=");
    return [name, Number(value)] as const;
  });
  const isServer = ([name]: readonly [string, number]): boolean => name === "server";
  return { server: pairs.find(isServer)?.[1], values: pairs.filter((pair) => !isServer(pair)) };
}
