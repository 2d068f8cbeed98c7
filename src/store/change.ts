// Changes that are ready to be made, alone or several in one transaction.
import type { Store, Transaction } from "./port";

/** A change that has waited for everything it needs: sealed values, answers of other servers. */
export interface Change<T> {
  /** May run more than once, as every body of a transaction. */
  body(): Transaction<T>;
  /** Called after the commit. */
  committed?(result: T): void;
}

/** Makes one change in a transaction of its own. */
export async function makeChange<T>(store: Store, change: Change<T>): Promise<T> {
  const result = await store.write(() => change.body());
  change.committed?.(result);
  return result;
}

/** Makes all changes in one transaction, in their order, or none: an error of one rolls all of them back and rejects. */
export async function makeChanges(store: Store, changes: readonly Change<unknown>[]): Promise<void> {
  if (changes.length === 0) return;
  const results = await store.write(() => resultsOf(changes));
  for (const [index, change] of changes.entries()) change.committed?.(results[index]);
}

/** Rejects like `makeChanges` would, but changes nothing: the transaction is always rolled back. */
export async function rehearseChanges(store: Store, changes: readonly Change<unknown>[]): Promise<void> {
  if (changes.length === 0) return;
  const rehearsed = new Error("rolled back on purpose");
  try {
    await store.write(function* (): Transaction<void> {
      yield* resultsOf(changes);
      throw rehearsed;
    });
  } catch (error) {
    if (error !== rehearsed) throw error;
  }
}

function* resultsOf(changes: readonly Change<unknown>[]): Transaction<unknown[]> {
  const results: unknown[] = [];
  for (const change of changes) results.push(yield* change.body());
  return results;
}
