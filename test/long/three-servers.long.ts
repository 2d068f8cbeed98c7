// Three servers on one PostgreSQL in full number: test/postgres/three-servers has the short forms.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { revokeKeys } from "../postgres/three-servers/revoke-keys";
import { startThreeServers } from "../postgres/three-servers/servers";
import { drain, sentenceOf as drainSentence } from "../processes/scheduled";
import { sentenceOf as stormSentence, storm } from "../processes/storm";
import { scaled } from "../support/long";
import { type Cluster, startCluster } from "../support/postgres/cluster";

let cluster: Cluster;
let databases = 0;
const newDatabase = async (): Promise<string> => {
  const name = `db_${++databases}`;
  await cluster.psql(`CREATE DATABASE ${name}`);
  return cluster.url(name);
};
beforeAll(async () => {
  cluster = await startCluster();
}, 60_000);
afterAll(async () => cluster?.[Symbol.asyncDispose]());

const KEYS = scaled(1000);
test(`${KEYS} keys that one server deletes are refused by the next request at each`, async () => {
  await using three = await startThreeServers({ environment: { RUNTIME_LIMITS_BAD_CREDENTIALS: "0" } });
  const revoked = await revokeKeys(three, await three.key("admin"), KEYS);
  process.stdout.write(`revoked keys: ${JSON.stringify(revoked)}\n`);

  expect(revoked).toEqual({ tries: KEYS, answered: 3 * KEYS, refused: 3 * KEYS, others: [], errors: [] });
}, 1_200_000);

const RUNS = scaled(1000);
test(`none of ${RUNS} due runs at three servers runs twice after 10 kills`, async () => {
  const plan = { runs: RUNS, kills: 10, seed: 1, database: await newDatabase(), servers: 3 };
  const drained = await drain(plan);
  process.stdout.write(drainSentence(drained));

  expect(drained.faults).toEqual([]);
  expect(drained.completed + drained.unknown).toBe(RUNS);
}, 1_200_000);

test("200 calls in four processes succeed with one refresh by a token endpoint that takes 15 s", async () => {
  const slow = 15_000;
  const result = await storm(
    (chat) => chat.fail("refresh", { kind: "delay", ms: slow }),
    await newDatabase(),
  );
  process.stdout.write(stormSentence("PostgreSQL, a token endpoint that takes 15 s", result));

  expect(result).toMatchObject({ refreshes: 1, succeeded: 200, others: [], connection: "active" });
}, 300_000);
