// Names in the list of a gateway that no tool of this version has. They are stored, because a document or a record may come
// from a later version, and they have no effect. What is mistyped looks the same, so it is said wherever the list is shown.
import { nearest } from "../base";
import type { ToolFilter, UnknownTool } from "./schema";

/** More are not explained. */
const MAX_EXPLAINED = 50;

export class KnownTools {
  readonly #names: readonly string[];
  readonly #folded: ReadonlySet<string>;

  /** `names`: those of all tools, `Toolkit.DoThis`. */
  constructor(names: readonly string[]) {
    this.#names = names;
    this.#folded = new Set(names.map((name) => name.toLowerCase()));
  }

  /** The names that no tool has, with their places in the list. */
  unknownIn({ allowed_tools = [] }: ToolFilter = {}): (UnknownTool & { index: number })[] {
    return allowed_tools
      .flatMap((name, index) => (this.#folded.has(name.toLowerCase()) ? [] : [{ name, index }]))
      .slice(0, MAX_EXPLAINED)
      .map(({ name, index }) => ({ name, index, message: this.#explained(name) }));
  }

  #explained(name: string): string {
    const near = nearest(name, this.#names);
    const meant = near === undefined ? "" : `; did you mean ${near}?`;
    return `is not a tool of this version and has no effect${meant}`;
  }
}
