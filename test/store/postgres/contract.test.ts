// The contract of the store port on a PostgreSQL server of the test: directly, through PgBouncer in transaction mode, and with
// TLS and a client certificate.
import { afterAll, beforeAll, describe } from "bun:test";
import { hasBouncer, startBouncer } from "../../support/postgres/bouncer";
import { startCluster } from "../../support/postgres/cluster";
import { hasEmbedded, startEmbedded } from "../../support/postgres/embedded";
import { hasPostgres } from "../../support/postgres/programs";
import { startTlsCluster } from "../../support/postgres/tls";
import { openOnPostgres } from "../../support/postgres-engine";
import { storeContract } from "../contract";

const START_MS = 60_000;

describe.if(hasPostgres)("on a server", () => {
  const servers = new AsyncDisposableStack();
  let url = "";
  beforeAll(async () => {
    url = servers.use(await startCluster()).url();
  }, START_MS);
  afterAll(() => servers.disposeAsync());

  storeContract("PostgreSQL", (options) => openOnPostgres(options, url));
});

describe.if(hasPostgres && hasEmbedded())("on PostgreSQL 18", () => {
  const servers = new AsyncDisposableStack();
  let url = "";
  beforeAll(async () => {
    url = servers.use(await startEmbedded()).url();
  }, START_MS);
  afterAll(() => servers.disposeAsync());

  storeContract("PostgreSQL 18", (options) => openOnPostgres(options, url));
});

describe.if(hasPostgres && hasBouncer)("through PgBouncer", () => {
  const servers = new AsyncDisposableStack();
  const urls = { pooled: "", direct: "" };
  beforeAll(async () => {
    const cluster = servers.use(await startCluster());
    const bouncer = servers.use(await startBouncer(cluster));
    Object.assign(urls, { pooled: bouncer.url(), direct: cluster.url() });
  }, START_MS);
  afterAll(() => servers.disposeAsync());

  storeContract("PgBouncer", (options) =>
    openOnPostgres(options, urls.pooled, { listenUrl: urls.direct, preparedStatements: false }),
  );
});

describe.if(hasPostgres)("with verify-full and a client certificate", () => {
  const servers = new AsyncDisposableStack();
  let url = "";
  beforeAll(async () => {
    const { cluster, certificates, role } = servers.use(await startTlsCluster());
    const { ca, client } = certificates;
    const files = { sslrootcert: ca, sslcert: client.cert, sslkey: client.key };
    const parameters = new URLSearchParams({ sslmode: "verify-full", ...files });
    url = `${cluster.url("postgres", role)}?${parameters.toString()}`;
  }, START_MS);
  afterAll(() => servers.disposeAsync());

  storeContract("TLS", (options) => openOnPostgres(options, url));
});
