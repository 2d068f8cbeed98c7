// The cross-user matrix with three servers on one PostgreSQL at its full length, in parts with a database each.
import { expect, test } from "bun:test";
import { interleave, sentenceOf } from "../authorization/matrix/interleave";
import { scaled } from "../support/long";
import { startCluster } from "../support/postgres/cluster";

const PART = 500;
const PARTS = scaled(20);

test(`${PARTS * PART} interleavings at three servers`, async () => {
  await using cluster = await startCluster();
  for (let part = 0; part < PARTS; part++) {
    const database = `part_${part}`;
    await cluster.psql(`CREATE DATABASE ${database}`);
    const figures = await interleave({
      interleavings: PART,
      seed: 2_000_000 + part * PART,
      terminalShare: 0.02,
      processesEvery: 250,
      database: cluster.url(database),
      servers: 3,
    });
    process.stdout.write(sentenceOf(figures));

    expect(figures.faults).toEqual([]);
    expect(figures.foreign).toBe(0);
    expect(figures.platformCalls).toBeGreaterThan(PART);
  }
}, 7_200_000);
