// Damage that a disk or a hand can do to a stored value: one letter of a sealed text is another one.
import { type Kind, query, run, type Store, touch } from "../../src/store";

/** Damages the sealed values of the rows where `key` is `value`. The names are fixed texts of the test. */
export async function damageSealed(
  store: Store,
  column: { table: string; sealed: string; key: string; kind: Kind },
  value: string,
): Promise<void> {
  const { table, sealed, key, kind } = column;
  const end = `SUBSTR(${sealed}, -8)`;
  const damage = query(
    `UPDATE ${table} SET ${sealed} = SUBSTR(${sealed}, 1, LENGTH(${sealed}) - 8) || ` +
      `(CASE ${end} WHEN 'AAAAAAAA' THEN 'BBBBBBBB' ELSE 'AAAAAAAA' END) WHERE ${key} = ?`,
  );
  const changed = await store.write(function* () {
    const rows = yield* run(damage, value);
    yield* touch(kind);
    return rows;
  });
  if (changed === 0) throw new Error("there is no such row to damage");
}
