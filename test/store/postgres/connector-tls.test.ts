// TLS with a real server: which certificates are accepted, and whose.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { refusal, sessionOf } from "../../support/postgres/connecting";
import { hasPostgres } from "../../support/postgres/programs";
import { startTlsCluster, type TlsCluster } from "../../support/postgres/tls";

setDefaultTimeout(60_000);

describe.if(hasPostgres)("a server with TLS and client certificates", () => {
  let database: TlsCluster;
  const url = (host: string, parameters: Record<string, string>): string =>
    `postgres://${database.role}@${host}:${database.cluster.port}/postgres?${new URLSearchParams(parameters).toString()}`;
  const files = () => {
    const { ca, client } = database.certificates;
    return { sslrootcert: ca, sslcert: client.cert, sslkey: client.key };
  };
  beforeAll(async () => {
    const scram = "hostssl all listed 127.0.0.1/32 scram-sha-256";
    const cert = "hostssl all all 127.0.0.1/32 cert clientcert=verify-full";
    database = await startTlsCluster("runtime_server", {
      hba: [scram, cert],
      settings: { listen_addresses: "127.0.0.1,127.0.0.2" },
    });
    await database.cluster.psql("CREATE ROLE listed LOGIN PASSWORD 'p'");
  });
  afterAll(() => database[Symbol.asyncDispose]());

  test.each(["verify-full", "verify-ca", "require", "prefer"])("is used with sslmode=%s", async (sslmode) => {
    expect(await sessionOf(url("127.0.0.1", { ...files(), sslmode }))).toMatchObject({
      name: database.role,
      tls: true,
    });
  });

  test("checks the certificate if sslrootcert is given, also without sslmode", async () => {
    expect(await sessionOf(url("localhost", files()))).toMatchObject({ tls: true });
    const { stranger } = database.certificates;
    const error = await refusal(url("127.0.0.1", { ...files(), sslrootcert: stranger.cert }));
    expect(error).toMatchObject({ name: "configuration" });
    expect(error.message).toContain("has a certificate that is not trusted");
    expect(error.message).toContain("Add sslrootcert=FILE to database.url");
  });

  test.each(["verify-ca", "require"])("with sslmode=%s must have a trusted certificate", async (sslmode) => {
    const { stranger } = database.certificates;

    const error = await refusal(url("127.0.0.1", { ...files(), sslrootcert: stranger.cert, sslmode }));

    expect(error.message).toContain("has a certificate that is not trusted");
  });

  test("is not trusted for a certificate that no public authority has signed", async () => {
    const { client } = database.certificates;
    const error = await refusal(
      url("127.0.0.1", { sslcert: client.cert, sslkey: client.key, sslmode: "verify-full" }),
    );

    expect(error).toMatchObject({ name: "configuration" });
    expect(error.message).toContain("has a certificate that is not trusted");
  });

  // 127.0.0.2 is not in the certificate.
  test("must have the host name in its certificate with verify-full, and only then", async () => {
    const error = await refusal(url("127.0.0.2", { ...files(), sslmode: "verify-full" }));

    expect(error).toMatchObject({ name: "configuration" });
    expect(error.message).toContain("has a certificate for other host names");
    expect(await sessionOf(url("127.0.0.2", { ...files(), sslmode: "verify-ca" }))).toMatchObject({
      tls: true,
    });
  });

  test("refuses a connect without a client certificate, or with one of another authority", async () => {
    const { ca, stranger } = database.certificates;

    const missing = await refusal(url("127.0.0.1", { sslrootcert: ca }));
    const other = await refusal(
      url("127.0.0.1", { sslrootcert: ca, sslcert: stranger.cert, sslkey: stranger.key }),
    );

    expect(missing).toMatchObject({ name: "configuration" });
    expect(missing.message).toContain("refuses the user runtime_server");
    expect(other.name).not.toBe("internal_error");
  });

  test("binds the login to its certificate", async () => {
    const listed = `postgres://listed:p@127.0.0.1:${database.cluster.port}/postgres`;
    const { ca } = database.certificates;

    expect(await sessionOf(`${listed}?sslrootcert=${ca}&channel_binding=require`)).toMatchObject({
      name: "listed",
      tls: true,
    });
  });

  test("checks certificates whatever NODE_TLS_REJECT_UNAUTHORIZED says", async () => {
    const before = process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
    process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
    try {
      const error = await refusal(url("127.0.0.1", { sslmode: "verify-full" }));
      expect(error.message).toContain("has a certificate that is not trusted");
    } finally {
      if (before === undefined) delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
      else process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = before;
    }
  });
});
