// A server that accepts only TLS with a client certificate, and the certificates of both sides.
import { join } from "node:path";
import { writeFileSync } from "node:fs";
import type { Certificate } from "../certificates";
import { makeCertificate } from "../certificates";
import type { Cluster, ClusterOptions } from "./cluster";
import { startCluster } from "./cluster";
import { guardedFolder } from "./programs";

export interface DatabaseCertificates {
  /** The file of the authority that has signed both others. */
  ca: string;
  /** For `localhost` and 127.0.0.1. */
  server: Certificate;
  /** Its subject is the role. */
  client: Certificate;
  /** A client certificate with the same subject that the authority has not signed. */
  stranger: Certificate;
}

export interface TlsCluster extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly certificates: DatabaseCertificates;
  /** The role that the client certificate is for. */
  readonly role: string;
}

const KEY = "ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";

/** Everybody who comes over TCP needs a certificate with the name of the role; the role owns the database `postgres`. */
export async function startTlsCluster(
  role = "runtime_server",
  options: ClusterOptions = {},
): Promise<TlsCluster> {
  const certificates = makeDatabaseCertificates(guardedFolder("certificates"), role);
  const { server, ca } = certificates;
  const hba = ["hostssl all all 127.0.0.1/32 cert clientcert=verify-full"];
  const cluster = await startCluster({ hba, ...options, tls: { ...server, ca } });
  await cluster.psql(`CREATE ROLE ${role} LOGIN; ALTER DATABASE postgres OWNER TO ${role}`);
  return { cluster, certificates, role, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() };
}

export function makeDatabaseCertificates(folder: string, role: string): DatabaseCertificates {
  const authority = { cert: join(folder, "authority.pem"), key: join(folder, "authority.key") };
  openssl(
    `req -x509 -newkey ${KEY} -days 2 -subj /CN=test-authority -keyout ${authority.key} -out ${authority.cert}`,
  );
  const signed = (name: string, subject: string, extension: string): Certificate => {
    const files = { cert: join(folder, `${name}.pem`), key: join(folder, `${name}.key`) };
    const request = join(folder, `${name}.csr`);
    const extensions = join(folder, `${name}.ext`);
    writeFileSync(extensions, extension);
    openssl(`req -newkey ${KEY} -subj /CN=${subject} -keyout ${files.key} -out ${request}`);
    openssl(
      `x509 -req -in ${request} -CA ${authority.cert} -CAkey ${authority.key} -CAcreateserial -days 2
        -extfile ${extensions} -out ${files.cert}`,
    );
    return files;
  };
  const strangers = guardedFolder("stranger");
  return {
    ca: authority.cert,
    server: signed("server", "localhost", "subjectAltName=DNS:localhost,IP:127.0.0.1\n"),
    client: signed("client", role, "extendedKeyUsage=clientAuth\n"),
    stranger: makeCertificate(strangers, role),
  };
}

function openssl(command: string): void {
  const made = Bun.spawnSync(["openssl", ...command.split(/\s+/)]);
  if (!made.success) throw new Error(made.stderr.toString());
}
