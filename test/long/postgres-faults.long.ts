// Faults of the database, of the network and of servers under load, each 20 times.
import { expect } from "bun:test";
import * as faults from "../store/postgres/faults";
import { scaled } from "../support/long";
import { testOnFullDisk } from "../support/postgres/full-disk";
import { testOnPostgres } from "../support/postgres/programs";

const ROUNDS = scaled(20);

for (const [name, fault] of Object.entries(faults)) {
  const run = fault === faults.fullDisks ? testOnFullDisk : testOnPostgres;
  run(
    `${ROUNDS} rounds: ${name}`,
    async () => {
      const { stored, unknown, refused, unread, slowest } = await fault(ROUNDS);
      process.stdout.write(
        `${name}: ${ROUNDS} rounds, ${stored} acknowledged writes, 0 lost, 0 repeated, ${unknown} unknown, ` +
          `${refused} refused, ${unread} refused reads, slowest recovery ${slowest} ms\n`,
      );
      expect(stored).toBeGreaterThan(0);
    },
    1_200_000,
  );
}
