// Programs that the tests of the store run in other processes: `bun child.ts <work> <file>`. Each prints `ready` and waits for
// a line on standard input, so that several can start at the same moment.
import { Database } from "bun:sqlite";
import { openSqlite, type Store, touch } from "../../src/store";
import { increment, insert, LIST, migrations, upgraded } from "./notes";

const [work = "", file = ""] = process.argv.slice(2);

async function started(): Promise<void> {
  console.log("ready");
  for await (const _line of console) return;
}

function open(): Store {
  return openSqlite({ file, migrations });
}

function succeeded(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

const WORKS: { [name: string]: () => Promise<void> } = {
  /** Opens a file, which may be new, and closes it. */
  open: async () => {
    await started();
    await open().close();
  },

  /** Opens a file of the first version with two migrations, and closes it. */
  upgrade: async () => {
    await started();
    await openSqlite({ file, migrations: upgraded }).close();
  },

  /** Reads a counter and writes it back one higher, 200 times. */
  increment: async () => {
    const store = open();
    await started();
    for (let round = 0; round < 200; round++) await store.write(() => increment("counter"));
    await store.close();
  },

  /** Adds notes for ever, five at a time, and prints the number of each after it is acknowledged. */
  acknowledge: async () => {
    const store = open();
    await started();
    for (let number = 0; ; number += 5) {
      const five = [0, 1, 2, 3, 4].map((offset) => number + offset);
      await Promise.all(
        five.map(async (next) => {
          await store.write(() => insert(`${process.pid}-${next}`, process.pid * 1_000_000 + next));
          await Bun.write(Bun.stdout, `${process.pid}-${next}\n`);
        }),
      );
    }
  },

  /** Adds notes until the disk is full, then tries minimal writes. Prints what was stored and the errors. */
  fill: async () => {
    const store = open();
    await started();
    let stored = 0;
    const add = (): Promise<boolean> =>
      succeeded(store.write(() => insert(`${stored} ${"x".repeat(50_000)}`, stored)));
    while (stored < 1000 && (await add())) stored++;
    for (let touched = 0; touched < 1000 && (await succeeded(store.write(() => touch("keys"))));) touched++;
    console.log(`stored ${stored}`);
    console.log((await succeeded(store.check())) ? "healthy" : "not healthy");
    console.log(`readable ${(await store.all(LIST)).length}`);
  },

  /** Holds the write lock for a second. */
  hold: async () => {
    const database = new Database(file, { strict: true });
    await started();
    database.run("BEGIN IMMEDIATE");
    console.log("locked");
    await Bun.sleep(1000);
    database.run("COMMIT");
    database.close();
  },

  /** Writes, for 300 ms, to a file that is not yet in WAL mode. */
  write: async () => {
    const database = new Database(file, { strict: true });
    await started();
    database.run("BEGIN IMMEDIATE");
    console.log("writing");
    await Bun.sleep(300);
    database.run("COMMIT");
    database.close();
  },
};

await WORKS[work]?.();
process.exit(0);
