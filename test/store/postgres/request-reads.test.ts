// A request asks for the generations once in a while, and never relies on what was read before it began.
import { expect, test } from "bun:test";
import { type Generations, RequestReads } from "../../../src/store/postgres/request-reads";

function counting() {
  const reads = new RequestReads();
  let asked = 0;
  const read = (): Promise<Generations> => Promise.resolve(new Map([["keys", ++asked]]));
  return { reads, look: async () => (await reads.get(read)).get("keys"), asked: () => asked };
}

test("the steps of a request share an answer, also while it is on its way", async () => {
  const { reads, look, asked } = counting();
  await reads.within(async () => {
    const [first, second] = await Promise.all([look(), look()]);
    expect([first, second, await look()]).toEqual([1, 1, 1]);
  });

  expect(asked()).toBe(1);
});

test("the next request asks again, and so does a request at the same time", async () => {
  const { reads, look } = counting();
  const both = await Promise.all([reads.within(look), reads.within(look)]);

  expect(both).toEqual([1, 2]);
  expect(await reads.within(look)).toBe(3);
});

test("outside of a request every step asks", async () => {
  const { look } = counting();

  expect([await look(), await look()]).toEqual([1, 2]);
});

test("a change that was heard of is read at once", async () => {
  const { reads, look } = counting();
  await reads.within(async () => {
    await look();
    reads.changed();

    expect(await look()).toBe(2);
  });
});

test("a change that is heard of while the answer is on its way is read at once", async () => {
  const { reads, look } = counting();
  await reads.within(async () => {
    const first = look();
    reads.changed();

    expect(await look()).toBe(2);
    await first;
  });
});

test("a step that comes later asks again", async () => {
  const { reads, look } = counting();
  await reads.within(async () => {
    await look();
    const later = performance.now() + 11;
    while (performance.now() < later) await Bun.sleep(1);

    expect(await look()).toBe(2);
  });
});

test("a failure is not remembered", async () => {
  const { reads, look } = counting();
  await reads.within(async () => {
    const failed = reads.get(() => Promise.reject(new Error("lost")));
    await expect(Promise.resolve(failed)).rejects.toThrow("lost");

    expect(await look()).toBe(1);
  });
});
