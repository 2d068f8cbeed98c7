// A TLS server with a certificate that is created for this run.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer, type TLSSocket } from "node:tls";

/** Paths of a certificate and its key. */
export interface Authority extends Disposable {
  certificate: string;
  key: string;
}

/** A certificate for two names and an address, which is its own authority. */
export function createAuthority(names = "DNS:a.example,DNS:b.example,IP:127.0.0.1"): Authority {
  const folder = mkdtempSync(join(tmpdir(), "egress-tls-"));
  const [certificate, key] = [join(folder, "certificate.pem"), join(folder, "key.pem")];
  const made = Bun.spawnSync(
    `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=test -keyout ${key}
      -out ${certificate} -addext subjectAltName=${names}`.split(/\s+/),
  );
  if (!made.success) throw new Error(made.stderr.toString());
  return {
    certificate,
    key,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A TLS server that answers with the number of the connection, its server name and the Host header. */
export async function startTlsPeer({ certificate, key }: Authority) {
  const received: string[] = [];
  const sockets = new Set<TLSSocket>();
  let connections = 0;
  const options = { key: readFileSync(key), cert: readFileSync(certificate) };
  const server = createServer(options, (socket) => {
    const connection = ++connections;
    const name: unknown = Reflect.get(socket, "servername");
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("data", (piece) => {
      received.push(piece.toString());
      const host = /^host: (.*)\r$/im.exec(piece.toString())?.[1];
      const body = JSON.stringify([connection, name, host]);
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    });
  });
  server.on("tlsClientError", () => undefined);
  const listening = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", listening.resolve);
  await listening.promise;
  const address = server.address();
  const port = address !== null && typeof address === "object" ? address.port : 0;
  return {
    port,
    received,
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
