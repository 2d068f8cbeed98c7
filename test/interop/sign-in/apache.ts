// Debian's Apache in front of a server: it asks browsers for client certificates, and names the person of a verified one.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Certificate, makeCertificate } from "../../support/certificates";
import { testWith } from "../../support/require";

const APACHE = "/usr/sbin/apache2";
const MODULES = "/usr/lib/apache2/modules";

export const testWithApache = testWith("apache2", existsSync(APACHE));

export interface Apache extends AsyncDisposable {
  /** The address of browsers, https. */
  readonly url: string;
  /** The certificate of Apache. */
  readonly ca: string;
  readonly port: number;
  /** A client certificate of a person. */
  certificateOf(person: string): Certificate;
  /** Where requests go. The port of the server is only known when it runs. */
  forward(upstream: string): Promise<void>;
}

/** Listens once it forwards. */
export function apacheOn(port: number): Apache {
  const folder = mkdtempSync(join(tmpdir(), "runtime-apache-"));
  const server = makeCertificate(folder, "localhost");
  const authority = makeAuthority(folder);
  let running: Bun.Subprocess | undefined;
  return {
    url: `https://localhost:${port}`,
    ca: server.cert,
    port,
    certificateOf: (person) => signed(folder, authority, person),
    forward: async (upstream) => {
      mkdirSync(join(folder, "run"), { recursive: true });
      writeFileSync(join(folder, "apache.conf"), configuration(folder, port, server, authority, upstream));
      running = Bun.spawn([APACHE, "-f", join(folder, "apache.conf"), "-DFOREGROUND"], {
        stdout: "ignore",
        stderr: "ignore",
      });
      for (let tries = 0; tries < 500; tries++) {
        const tls = { ca: Bun.file(server.cert) };
        const answer = await fetch(`https://localhost:${port}/livez`, { tls }).catch(() => undefined);
        if (answer?.status === 200) return;
        await Bun.sleep(20);
      }
      throw new Error(`apache did not start: ${await Bun.file(join(folder, "error.log")).text()}`);
    },
    [Symbol.asyncDispose]: async () => {
      running?.kill();
      await running?.exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function configuration(
  folder: string,
  port: number,
  server: Certificate,
  authority: Certificate,
  upstream: string,
): string {
  const modules = ["mpm_event", "ssl", "socache_shmcb", "headers", "proxy", "proxy_http", "authz_core"].map(
    (name) => `LoadModule ${name}_module ${MODULES}/mod_${name}.so`,
  );
  return `
    ${modules.join("\n")}
    ServerRoot ${folder}
    ServerName localhost
    PidFile ${folder}/run/apache.pid
    DefaultRuntimeDir ${folder}/run
    ErrorLog ${folder}/error.log
    User www-data
    Group www-data
    Listen 127.0.0.1:${port}
    <VirtualHost 127.0.0.1:${port}>
      SSLEngine on
      SSLCertificateFile ${server.cert}
      SSLCertificateKeyFile ${server.key}
      SSLCACertificateFile ${authority.cert}
      SSLVerifyClient optional
      ProxyPreserveHost on
      ProxyPass / ${upstream}/ flushpackets=on
      RequestHeader unset X-Forwarded-User
      RequestHeader set X-Forwarded-User "expr=%{SSL_CLIENT_S_DN_CN}" "expr=%{SSL_CLIENT_VERIFY} == 'SUCCESS'"
    </VirtualHost>`;
}

function run(command: string): void {
  const made = Bun.spawnSync(command.split(/\s+/));
  if (!made.success) throw new Error(made.stderr.toString());
}

function makeAuthority(folder: string): Certificate {
  const [cert, key] = [join(folder, "people.pem"), join(folder, "people.key")];
  run(
    `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=people -keyout ${key} -out ${cert}`,
  );
  return { cert, key };
}

function signed(folder: string, authority: Certificate, person: string): Certificate {
  const [cert, key, request] = [".crt", ".key", ".csr"].map((end) =>
    join(folder, `person-${person}${end}`),
  ) as [string, string, string];
  run(
    `openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=${person} -keyout ${key} -out ${request}`,
  );
  run(
    `openssl x509 -req -in ${request} -CA ${authority.cert} -CAkey ${authority.key} -CAcreateserial -days 2 -out ${cert}`,
  );
  return { cert, key };
}
