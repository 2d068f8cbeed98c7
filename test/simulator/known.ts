// Faults of the present code that the simulator finds. An entry goes when its fault is mended.

export interface Known {
  readonly invariant: string;
  readonly reason: string;
  /** A seed of 100 steps that shows it when only this invariant is checked. Missing: it is rare. */
  readonly seed?: number;
}

export const KNOWN: readonly Known[] = [];
