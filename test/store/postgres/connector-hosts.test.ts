// Servers that are not a single primary: a primary with its standby, and a pooler.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Bouncer, startBouncer, testOnBouncer } from "../../support/postgres/bouncer";
import { type Cluster, startCluster } from "../../support/postgres/cluster";
import { refusal, sessionOf } from "../../support/postgres/connecting";
import { hasPostgres } from "../../support/postgres/programs";
import { type Replication, startReplication } from "../../support/postgres/standby";

setDefaultTimeout(60_000);

describe.if(hasPostgres)("a primary and its standby", () => {
  let servers: Replication;
  beforeAll(async () => {
    servers = await startReplication();
  });
  afterAll(() => servers[Symbol.asyncDispose]());

  test("are chosen by who accepts writes, in any order and after a fail-over", async () => {
    const { primary, standby } = servers;
    const both = `postgres://postgres@127.0.0.1:${standby.port},127.0.0.1:${primary.port}/postgres`;

    expect(await sessionOf(both)).toMatchObject({ port: primary.port });
    expect(await sessionOf(`${both}?target_session_attrs=primary`)).toMatchObject({ port: primary.port });
    expect(await sessionOf(`${both}?target_session_attrs=any`)).toMatchObject({ port: standby.port });
    const error = await refusal(`postgres://postgres@127.0.0.1:${standby.port}/postgres`);
    expect(error.name).toBe("unavailable");
    expect(error.message).toContain(
      `127.0.0.1:${standby.port} is a standby. Start or promote the primary server`,
    );

    await servers.failOver();
    expect(await sessionOf(both)).toMatchObject({ port: standby.port });
  });
});

describe.if(hasPostgres)("a pooler in transaction mode", () => {
  let cluster: Cluster;
  let bouncer: Bouncer;
  const pooled = { preparedStatements: false };
  beforeAll(async () => {
    cluster = await startCluster();
    bouncer = await startBouncer(cluster, {
      passwords: { postgres: "pooled" },
      // What an operator's pooler refuses that is not made for us.
      settings: { ignore_startup_parameters: "", server_connect_timeout: 1 },
    });
  });
  afterAll(async () => {
    await bouncer[Symbol.asyncDispose]();
    await cluster[Symbol.asyncDispose]();
  });

  testOnBouncer("is used like a server", async () => {
    expect(await sessionOf(bouncer.url(), pooled)).toMatchObject({ name: "postgres" });
  });

  testOnBouncer("refuses a wrong password and an unknown user", async () => {
    for (const user of ["postgres", "nobody"]) {
      const url = `postgres://${user}:wrong-password@127.0.0.1:${bouncer.port}/postgres`;
      const error = await refusal(url, pooled);
      expect(error.name).toBe("configuration");
      expect(error.message).toContain("If it is a connection pooler, check its list of users and databases.");
    }
  });

  testOnBouncer("that accepts the login but has no server is given up", async () => {
    await cluster.stop();
    try {
      const error = await refusal(`${bouncer.url()}?connect_timeout=1`, pooled, "pooled");
      expect(error.name).toBe("unavailable");
    } finally {
      await cluster.start();
    }
  });
});
