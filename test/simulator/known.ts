// Faults of the present code that the simulator finds. An entry goes when its fault is mended.

export interface Known {
  readonly invariant: string;
  readonly reason: string;
  /** A seed of 100 steps that shows it when only this invariant is checked. Missing: it is rare. */
  readonly seed?: number;
}

export const KNOWN: readonly Known[] = [
  {
    invariant: "noneRevokedThatIsNeeded",
    reason: "a consent under a clock that runs ahead does not wait for a revocation that is being sent",
  },
  {
    invariant: "oneEffectPerKey",
    reason:
      "a process that starts with a clock that runs ahead takes answers of Idempotency-Keys for expired",
  },
  {
    invariant: "healthTellsTheTruth",
    reason: "health is not told when the erasure of deleted values fails, and no other write has been tried",
  },
  {
    invariant: "everyGrantIsOwned",
    reason: "tokens of a frozen process are dropped after a consent that came without a refresh token",
  },
  {
    invariant: "liveGrantIsStored",
    reason: "tokens of a frozen process are dropped after a consent that came without a refresh token",
  },
  {
    invariant: "everythingEnds",
    reason:
      "a run that was scheduled under a clock 100 days ahead stays pending when the clock is set back (seed 207860130)",
  },
  {
    invariant: "liveCallNotLost",
    reason: "a call of a frozen process counts as interrupted after a power loss (seed 207860517)",
  },
];
