// Long runs are whole by hand and a twentieth in CI.

/** The number at the size of this run; at least one. `RUNTIME_TEST_LONG_FACTOR=0.1` is a tenth. */
export function scaled(number: number): number {
  return Math.max(1, Math.round(number * Number(process.env["RUNTIME_TEST_LONG_FACTOR"] ?? 1)));
}

/** Numbers below 1 from a seed, so that a run at random can be repeated (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
