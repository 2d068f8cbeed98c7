// Query parameters of a route. Unknown and repeated ones are refused, so that a client's mistake is noticed.
import { badParameter, Refusal } from "./refusal";

export class Query {
  readonly #pairs: readonly (readonly [string, string])[];

  /** Throws 401/1060 for an unknown parameter, 401/1000 for a repeated one. */
  constructor(pairs: readonly (readonly [string, string])[], allowed: readonly string[]) {
    this.#pairs = pairs;
    const seen = new Set<string>();
    for (const [name] of pairs) {
      if (!allowed.includes(name)) throw new Refusal(401, 1060, `The parameter ${name} is not known.`);
      if (seen.has(name)) throw badParameter(name);
      seen.add(name);
    }
  }

  /** Empty counts as missing. */
  text(name: string): string | undefined {
    const value = this.#pairs.find(([candidate]) => candidate === name)?.[1];
    return value === "" ? undefined : value;
  }

  required(name: string): string {
    const value = this.text(name);
    if (value === undefined) throw badParameter(name);
    return value;
  }

  /** Starts at 1. An empty value is not a number. */
  position(name: string): number | undefined {
    const value = this.#pairs.find(([candidate]) => candidate === name)?.[1];
    if (value === undefined) return undefined;
    if (!/^[1-9]\d{0,8}$/.test(value)) throw badParameter(name);
    return Number(value);
  }

  /** `true` or `false` in lower case. */
  flag(name: string): boolean | undefined {
    const value = this.#pairs.find(([candidate]) => candidate === name)?.[1];
    if (value === undefined) return undefined;
    if (value !== "true" && value !== "false") throw badParameter(name);
    return value === "true";
  }
}
