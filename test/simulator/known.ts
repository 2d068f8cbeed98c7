// Faults of the present code that the simulator finds. An entry goes when its fault is mended.

export interface Known {
  readonly invariant: string;
  readonly reason: string;
  /** A seed of 100 steps that shows it when only this invariant is checked. Missing: it is rare. */
  readonly seed?: number;
}

export const KNOWN: readonly Known[] = [
  {
    invariant: "oneLogEntry",
    reason: "an entry of the execution log that cannot be stored at once is dropped",
    seed: 1,
  },
  {
    invariant: "oneEffectPerCall",
    reason: "a tool whose second request is refused with 401 runs again from its first request",
    seed: 1,
  },
  {
    invariant: "oneEffectPerKey",
    reason: "a wall clock that runs ahead ends an Idempotency-Key while its ten minutes last",
    seed: 1,
  },
  {
    invariant: "oneEffectPerRun",
    reason: "a refused token, or a lease that ends by the wall clock, starts a second attempt",
    seed: 66,
  },
  {
    invariant: "endedRunBeginsNoEffect",
    reason: "a process that was frozen after its claim runs the tool of a run that was given up",
    seed: 5,
  },
  {
    invariant: "liveRunNotGivenUp",
    reason: "a wall clock that runs ahead ends the lease of a live holder",
    seed: 27,
  },
  {
    invariant: "liveCallNotLost",
    reason: "a wall clock that was set back makes a live holder look dead",
  },
  {
    invariant: "liveGrantIsStored",
    reason: "a refreshed pair that cannot be stored at once is dropped",
    seed: 3,
  },
  {
    invariant: "noOldRefreshToken",
    reason: "a process that was frozen before its request sends a token that others have replaced",
    seed: 3,
  },
  {
    invariant: "everythingEnds",
    reason: "the row of a holder whose clock runs ahead is waited for until that time",
    seed: 1003,
  },
  {
    invariant: "deletedGrantIsRevoked",
    reason: "a pair that arrives after its connection was deleted is dropped and still works",
    seed: 37,
  },
];
