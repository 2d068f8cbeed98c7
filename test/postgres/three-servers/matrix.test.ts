// The cross-user matrix with three servers on one PostgreSQL: test/authorization/matrix.
import { expect } from "bun:test";
import { interleave, sentenceOf } from "../../authorization/matrix/interleave";
import { startCluster } from "../../support/postgres/cluster";
import { testOnPostgres } from "../../support/postgres/programs";

testOnPostgres(
  "in 150 interleavings at three servers no call uses the token of another user",
  async () => {
    await using cluster = await startCluster();
    const figures = await interleave({
      interleavings: 150,
      seed: 40_000,
      terminalShare: 0.08,
      processesEvery: 75,
      database: cluster.url(),
      servers: 3,
    });
    process.stdout.write(sentenceOf(figures));

    expect(figures.faults).toEqual([]);
    expect(figures.foreign).toBe(0);
    expect(figures.platformCalls).toBeGreaterThan(150);
    expect(figures.served).toBeGreaterThan(150);
  },
  180_000,
);
