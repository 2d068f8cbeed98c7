// Alternates the sides (A B A B …), so that other work of the machine affects both.

/** Runs every side once per round, in order; the results of each side, round by round. */
export async function inTurn<Side extends string, T>(
  rounds: number,
  sides: Readonly<Record<Side, () => Promise<T> | T>>,
): Promise<Record<Side, T[]>> {
  const names = Object.keys(sides) as Side[];
  const results = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Side, T[]>;
  for (let round = 0; round < rounds; round++) {
    for (const name of names) results[name].push(await sides[name]());
  }
  return results;
}
