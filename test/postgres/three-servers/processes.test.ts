// Server processes on one PostgreSQL: what kill -9 and separate memory could break. The full numbers: test/long.
import { afterAll, beforeAll, expect } from "bun:test";
import { drain, sentenceOf as drainSentence } from "../../processes/scheduled";
import { sentenceOf as stormSentence, storm } from "../../processes/storm";
import { type Cluster, startCluster } from "../../support/postgres/cluster";
import { hasPostgres, testOnPostgres } from "../../support/postgres/programs";

let cluster: Cluster;
let databases = 0;
const newDatabase = async (): Promise<string> => {
  const name = `db_${++databases}`;
  await cluster.psql(`CREATE DATABASE ${name}`);
  return cluster.url(name);
};
beforeAll(async () => {
  if (hasPostgres) cluster = await startCluster();
}, 60_000);
afterAll(async () => cluster?.[Symbol.asyncDispose]());

testOnPostgres(
  "200 calls in four processes succeed with one refresh of an expired token",
  async () => {
    const result = await storm(
      (chat) => chat.fail("refresh", { kind: "delay", ms: 1000 }),
      await newDatabase(),
    );
    process.stdout.write(stormSentence("PostgreSQL", result));

    expect(result).toMatchObject({ refreshes: 1, succeeded: 200, others: [], connection: "active" });
  },
  120_000,
);

testOnPostgres(
  "none of 100 due runs at three servers runs twice after 2 kills",
  async () => {
    const plan = { runs: 100, kills: 2, seed: 5, database: await newDatabase(), servers: 3 };
    const drained = await drain(plan);
    process.stdout.write(drainSentence(drained));

    expect(drained.faults).toEqual([]);
    expect(drained.completed + drained.unknown).toBe(100);
  },
  180_000,
);
