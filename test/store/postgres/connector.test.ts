// Connections to real servers: passwords, time limits, the end of a connection, and what the errors say.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { connectorOf } from "../../../src/store/postgres/connector";
import { type Cluster, startCluster } from "../../support/postgres/cluster";
import { connected, OPTIONS, refusal, sessionOf, silentServer } from "../../support/postgres/connecting";
import { hasPostgres } from "../../support/postgres/programs";

setDefaultTimeout(60_000);

test("a server that does not exist makes the database unavailable", async () => {
  const error = await refusal("postgres://u:wrong-password@127.0.0.1:1,database.invalid/app");

  expect(error.name).toBe("unavailable");
  expect(error.message).toBe(
    "PostgreSQL cannot be used: 127.0.0.1:1 cannot be reached; database.invalid:5432 cannot be reached. " +
      "Check that it is running and that database.url has the right host and port.",
  );
});

test("a socket that does not exist makes the database unavailable", async () => {
  const error = await refusal("postgres://u:wrong-password@/app?host=/nothing");

  expect(error).toMatchObject({ name: "unavailable" });
  expect(error.message).toContain("/nothing/.s.PGSQL.5432 cannot be reached");
});

test.each(["disable", "require"])("a server that never answers is given up, sslmode=%s", async (mode) => {
  using silent = silentServer();
  const url = `postgres://u:wrong-password@127.0.0.1:${silent.port}/app?connect_timeout=1&sslmode=${mode}`;

  const error = await refusal(url);

  expect(error).toMatchObject({ name: "unavailable" });
  expect(error.message).toContain(`127.0.0.1:${silent.port} did not answer within 1 s`);
});

// The client tries again by itself, so the time limit is what ends it.
test("a server that closes each connection is given up in time", async () => {
  const socket = { open: (client: { end(): void }) => client.end(), data: () => undefined };
  const closing = Bun.listen({ hostname: "127.0.0.1", port: 0, socket });
  try {
    const error = await refusal(
      `postgres://u:wrong-password@127.0.0.1:${closing.port}/app?connect_timeout=1`,
    );
    expect(error).toMatchObject({ name: "unavailable" });
    expect(error.message).toContain(`127.0.0.1:${closing.port} did not answer within 1 s`);
  } finally {
    closing.stop(true);
  }
});

test("a connect that is aborted rejects with the reason", async () => {
  using silent = silentServer();
  const abort = new AbortController();
  const connecting = connectorOf({ ...OPTIONS, url: `postgres://u@127.0.0.1:${silent.port}/app` }).connect(
    abort.signal,
  );
  const reason = new Error("the server stops");
  abort.abort(reason);

  await expect(connecting).rejects.toBe(reason);
  await expect(
    connectorOf({ ...OPTIONS, url: "postgres://u@127.0.0.1/app" }).connect(abort.signal),
  ).rejects.toBe(reason);
});

test("an error of the password's source is the error of the connect", async () => {
  const password = () => Promise.reject(new Error("the vault is sealed"));

  await expect(connected("postgres://u@127.0.0.1:1/app", { password })).rejects.toThrow(
    "the vault is sealed",
  );
});

describe.if(hasPostgres)("a server", () => {
  let cluster: Cluster;
  const at = (user: string, rest = "postgres"): string =>
    `postgres://${user}@127.0.0.1:${cluster.port}/${rest}`;
  beforeAll(async () => {
    const hba = ["host all listed 127.0.0.1/32 scram-sha-256", "host all clear 127.0.0.1/32 password"];
    cluster = await startCluster({ hba: [...hba, "host all postgres,reader 127.0.0.1/32 trust"] });
    await cluster.psql(
      "CREATE ROLE listed LOGIN PASSWORD 'p@ /:%é'; CREATE ROLE clear LOGIN PASSWORD 'x'; CREATE ROLE other LOGIN; " +
        "CREATE DATABASE closed; REVOKE CONNECT ON DATABASE closed FROM public; " +
        "CREATE ROLE reader LOGIN; ALTER ROLE reader SET default_transaction_read_only = on",
    );
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  test("is used over TCP and over its socket, also without TLS", async () => {
    const session = { name: "postgres", application: "runtime test", tls: false };

    expect(await sessionOf(cluster.url())).toEqual({ ...session, port: cluster.port });
    for (const url of [
      `postgres://postgres@/postgres?host=${cluster.socketFolder}&port=${cluster.port}`,
      `postgres://postgres@${encodeURIComponent(cluster.socketFolder)}:${cluster.port}/postgres?sslmode=verify-full`,
    ])
      expect(await sessionOf(url)).toEqual({ ...session, port: null });
  });

  test("gets the password of the URL, else that of its source, at each connect", async () => {
    const encoded = encodeURIComponent("p@ /:%é");
    const given = ["wrong-password", "p@ /:%é"];
    const connector = connectorOf({
      ...OPTIONS,
      url: at("listed"),
      password: async () => given.shift() ?? "",
    });

    expect(await sessionOf(at(`listed:${encoded}`))).toMatchObject({ name: "listed" });
    await expect(connector.connect()).rejects.toThrow("refuses the password");
    const connection = await connector.connect();
    expect(connection.host).toBe(`127.0.0.1:${cluster.port}`);
    await connection.close();
    expect(given).toEqual([]);
  });

  test("gets nothing that variables of other programs say", async () => {
    const variables = {
      PGPASSWORD: "wrong-password",
      PGUSER: "nobody",
      PGDATABASE: "nothing",
      PGHOST: "database.invalid",
      PGPORT: "1",
      PGOPTIONS: "-c statement_timeout=7",
      PGAPPNAME: "other",
      DATABASE_URL: "postgres://other:wrong-password@database.invalid/other?sslmode=require",
    };
    const before = { ...process.env };
    Object.assign(process.env, variables);
    try {
      const connection = await connected(cluster.url());
      const [row] = await connection.sql.unsafe<object[]>(
        "SELECT current_setting('statement_timeout') AS timeout, current_setting('application_name') AS name",
      );
      await connection.close();
      expect(row).toEqual({ timeout: "0", name: "runtime test" });
    } finally {
      for (const name of Object.keys(variables)) {
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      }
    }
  });

  test.each<[string, string, string[]]>([
    [
      "a wrong password",
      "listed:wrong-password",
      ["refuses the password of the user listed", "database.password_file"],
    ],
    ["a user who is not listed", "other:wrong-password", ["refuses the user other", "pg_hba.conf"]],
  ])("refuses %s", async (_, user, expected) => {
    const error = await refusal(at(user));

    expect(error.name).toBe("configuration");
    for (const text of [`127.0.0.1:${cluster.port}`, ...expected]) expect(error.message).toContain(text);
  });

  test("refuses a database that does not exist or is closed to the user", async () => {
    const missing = await refusal(at("postgres", "nothing"));
    const closed = await refusal(
      `postgres://listed:${encodeURIComponent("p@ /:%é")}@127.0.0.1:${cluster.port}/closed`,
    );

    expect(missing).toMatchObject({ name: "configuration" });
    expect(missing.message).toContain("has no database nothing. Create it");
    expect(closed).toMatchObject({ name: "configuration" });
    expect(closed.message).toContain("does not let the user listed connect to closed");
  });

  test("does not repeat a message with the password", async () => {
    // Part of the message: `no pg_hba.conf entry for host …`.
    const error = await refusal(at("other:entry"), {}, "entry");

    expect(error.message).toContain("its message repeats the password");
    expect(error.cause).toBeUndefined();
  });

  test("needs TLS if the URL says so", async () => {
    const error = await refusal(`${cluster.url()}?sslmode=require`);

    expect(error).toMatchObject({ name: "configuration" });
    expect(error.message).toContain(
      "does not offer TLS. Turn TLS on there (ssl = on), or add sslmode=disable",
    );
  });

  test("follows hosts that cannot be used", async () => {
    using silent = silentServer();
    const hosts = `127.0.0.1:1,127.0.0.1:${silent.port},127.0.0.1:${cluster.port}`;

    expect(await sessionOf(`postgres://postgres@${hosts}/postgres?connect_timeout=1`)).toMatchObject({
      port: cluster.port,
    });
  });

  test("that refuses the user does not hide that another host is only down", async () => {
    const error = await refusal(`postgres://other@127.0.0.1:${cluster.port},127.0.0.1:1/postgres`);

    expect(error).toMatchObject({ name: "unavailable" });
    expect(error.message).toContain("refuses the user other");
    expect(error.message).toContain("127.0.0.1:1 cannot be reached");
  });

  test("is not used if its sessions are read-only, unless the URL allows it", async () => {
    const error = await refusal(at("reader"));

    expect(error).toMatchObject({ name: "unavailable" });
    expect(error.message).toContain(`127.0.0.1:${cluster.port} is read-only`);
    for (const target of ["primary", "any"])
      expect(await sessionOf(`${at("reader")}?target_session_attrs=${target}`)).toMatchObject({
        name: "reader",
      });
  });

  test("ends a connection: `ended` is fulfilled, and it is not replaced", async () => {
    const connection = await connected(cluster.url());
    const [row] = await connection.sql.unsafe<{ pid: number }[]>("SELECT pg_backend_pid() AS pid");

    await cluster.psql(`SELECT pg_terminate_backend(${row?.pid})`);

    await connection.ended;
    await expect(connection.sql.unsafe("SELECT 1")).rejects.toThrow();
    expect(
      await cluster.psql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'runtime test'"),
    ).toBe("0");
    await connection.close();
  });

  test("sees a connection end that is closed, with the statements in progress", async () => {
    const connection = await connected(cluster.url());
    const running = connection.sql.unsafe("SELECT pg_sleep(600)").then(
      () => "done",
      () => "rejected",
    );

    await connection.close();

    expect(await running).toBe("rejected");
    await connection.ended;
    await connection.close();
  });

  test("that is full or starts is unavailable", async () => {
    await cluster.psql("ALTER ROLE clear CONNECTION LIMIT 0");
    const error = await refusal(at("clear:x"), {}, "\0");

    expect(error.name).toBe("unavailable");
    expect(error.message).toContain("too many connections for role");
  });
});
