// The contract of the store port, on a PostgreSQL server of the test.
import { afterAll, beforeAll, describe } from "bun:test";
import type { Cluster } from "../../support/postgres/cluster";
import { startCluster } from "../../support/postgres/cluster";
import { hasPostgres } from "../../support/postgres/programs";
import { openOnPostgres } from "../../support/postgres-engine";
import { storeContract } from "../contract";

describe.if(hasPostgres)("on a server", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
  }, 60_000);
  afterAll(() => cluster[Symbol.asyncDispose]());

  storeContract("PostgreSQL", (options) => openOnPostgres(options, cluster.url()));
});
