// A cache whose store answers in any order, as several connections to a database server do.
import { expect, test } from "bun:test";
import { CachedByGeneration, openSqlite, type Store } from "../../src/store";
import { temporaryFolder, closedAfterTest } from "../support/temporary";
import { migrations } from "./notes";

/** A store whose generations are answered by the test. */
function answeredByHand(): { store: Store; asked: PromiseWithResolvers<number>[] } {
  const asked: PromiseWithResolvers<number>[] = [];
  const real = closedAfterTest(openSqlite({ file: `${temporaryFolder()}/notes.db`, migrations }));
  const generation = (): Promise<number> => {
    const answer = Promise.withResolvers<number>();
    asked.push(answer);
    return answer.promise;
  };
  return { store: Object.assign(real, { generation }), asked };
}

test("a value is not cached if another call has seen a change while its own last look was on its way", async () => {
  const { store, asked } = answeredByHand();
  const cache = new CachedByGeneration<string, string>(store, "keys");
  const settled = async (): Promise<void> => Bun.sleep(0);

  const stale = cache.get("key", () => "revoked");
  asked[0]?.resolve(1);
  await settled();
  // The value is loaded, and the look after it has been sent. Now the key is revoked, and another call sees that first.
  const other = cache.get("other", () => "value");
  asked[2]?.resolve(2);
  await settled();
  asked[1]?.resolve(1);
  expect(await stale).toBe("revoked");
  asked[3]?.resolve(2);
  await other;

  const next = cache.get("key", () => "gone");
  asked[4]?.resolve(2);
  asked[5]?.resolve(2);
  await settled();
  asked[5]?.resolve(2);
  expect(await next).toBe("gone");
});
