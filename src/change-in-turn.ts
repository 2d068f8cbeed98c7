// Changes of a record that are prepared outside of a transaction, because sealing and asking others are asynchronous. Those of
// the same record take turns, so that each is made to what the one before it has left.
import { unavailable } from "./errors";
import type { Turns } from "./turns";

/** Others that take no turn may be faster: a rotation of the data key, a document, another version of this program. */
const ATTEMPTS = 5;

/**
 * `change` prepares and makes it; undefined if the record has changed meanwhile. Throws `unavailable` if it changes all the time,
 * and what `Turns.during` throws.
 */
export function changeInTurn<T extends object>(
  turns: Turns,
  name: string,
  change: () => Promise<T | undefined>,
): Promise<T> {
  return turns.during(name, async () => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const made = await change();
      if (made !== undefined) return made;
    }
    throw unavailable("Other changes of this record are in progress. Send the request again.");
  });
}
