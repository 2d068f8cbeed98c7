// A write that shows whether the database takes writes. On a full disk a small change may still find room in a page that is
// there already, when the next secret would not. So this one takes pages, and gives them back.
import { type Query, run, type Transaction } from "../port";

/** About as many bytes as the test write on SQLite, in rows and in the entries of their index. */
const TAKE: Query<never> = {
  text:
    "INSERT INTO writers (instance, number, at) SELECT CAST(? AS text) || place, 0, clock_timestamp() " +
    "FROM generate_series(1, 64) AS place",
};
/** The numbers of writers begin with 1. */
const GIVE: Query<never> = { text: "DELETE FROM writers WHERE number = 0" };
const ROW_BYTES = 1400;

/** A body for one test. */
export function testWrite(): () => Transaction<void> {
  // What can be compressed takes less.
  const bytes = crypto.getRandomValues(new Uint8Array(ROW_BYTES)).toBase64();
  return function* (): Transaction<void> {
    yield* run(TAKE, bytes);
    yield* run(GIVE);
  };
}
