// Places that projects share, so that a project whose work hangs does not keep the others from working.

export interface PlaceLimits {
  /** For all projects together. Beyond it, a project still gets one place if it has none. */
  total: number;
  /** For each project. */
  share: number;
}

export class Places {
  readonly #limits: PlaceLimits;
  readonly #held = new Map<string, number>();
  #total = 0;

  constructor(limits: PlaceLimits) {
    this.#limits = limits;
  }

  /** How many more places a project may have of its share. */
  roomOf(project: string): number {
    return this.#limits.share - (this.#held.get(project) ?? 0);
  }

  /** False if there is none for the project at the moment. Otherwise the caller releases it. */
  take(project: string): boolean {
    const { total, share } = this.#limits;
    const held = this.#held.get(project) ?? 0;
    if (held >= share || (this.#total >= total && held > 0)) return false;
    this.#held.set(project, held + 1);
    this.#total += 1;
    return true;
  }

  release(project: string): void {
    const held = this.#held.get(project) ?? 0;
    if (held <= 1) this.#held.delete(project);
    else this.#held.set(project, held - 1);
    this.#total -= 1;
  }
}

/** In turn: the first of each group, then the second of each, and so on. The order of groups and within them is kept. */
export function inTurn<Item>(groups: readonly (readonly Item[])[]): Item[] {
  const longest = groups.reduce((most, { length }) => Math.max(most, length), 0);
  return Array.from({ length: longest }, (_, turn) =>
    groups.flatMap((group) => group.slice(turn, turn + 1)),
  ).flat();
}
