// Mutual TLS with a webhook server: the client certificate and the trusted authority only apply to its requests.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createServer, type Server } from "node:https";
import { connect, type TLSSocket } from "node:tls";
import { operator } from "../tools/deployment";
import { execute, type Hooked, hooked } from "./hooked";
import { pemPair } from "./pem";

const ours = pemPair("ours");
const strangers = pemPair("strangers");
const theirs = pemPair("theirs");

let stage: Hooked;
let server: Server;
let url: string;
/** Whether each request had a valid client certificate. */
const known: boolean[] = [];
beforeAll(async () => {
  stage = await hooked();
  const options = {
    cert: theirs.cert,
    key: theirs.key,
    ca: [ours.cert],
    requestCert: true,
    rejectUnauthorized: false,
  };
  server = createServer(options, (request, response) => {
    const socket = request.socket as TLSSocket;
    known.push(socket.authorized);
    request.resume();
    response.writeHead(socket.authorized ? 200 : 403, { "content-type": "application/json" });
    response.end('{"code":"OK","status":"healthy"}');
  });
  const listening = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", listening.resolve);
  await listening.promise;
  const address = server.address();
  url = `https://localhost:${address !== null && typeof address === "object" ? address.port : 0}`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await stage[Symbol.asyncDispose]();
});

async function executeWith(auth: object): Promise<unknown> {
  const { runtime } = stage.deployment;
  const endpoints = {
    pre: { url: `${url}/pre`, phase: "before", failure_mode: "fail_closed", timeout_ms: 10_000 },
  };
  const made = await runtime.plugins.create(operator(), {
    name: crypto.randomUUID(),
    plugin_type: "webhook",
    status: "active",
    // As a caller would send it.
    webhook_config: { endpoints, auth } as never,
  });
  try {
    return (await execute(stage, "Test.Echo")).kind ?? "ran";
  } finally {
    await runtime.hooks.delete(operator(), made.hooks[0]?.id ?? "");
    await runtime.plugins.delete(operator(), made.id);
  }
}

const FAILED = "CONTEXT_CHECK_FAILED";
const certificate = ({ cert, key }: { cert: string; key: string }) => ({
  client_cert: cert,
  client_key: key,
});

test("requests use the certificate of the plugin and trust the authority of the plugin", async () => {
  expect(await executeWith({ type: "mtls", ...certificate(ours), ca_cert: theirs.cert })).toBe("ran");
  // Without a certificate on the open connection, with another one, then with the right one again.
  expect(await executeWith({ type: "bearer", token: "t", ca_cert: theirs.cert })).toBe(FAILED);
  expect(await executeWith({ type: "mtls", ...certificate(strangers), ca_cert: theirs.cert })).toBe(FAILED);
  expect(await executeWith({ type: "mtls", ...certificate(ours), ca_cert: theirs.cert })).toBe("ran");
  expect(known).toEqual([true, false, false, true]);
});

test("nothing is sent to a server with an untrusted certificate", async () => {
  const before = known.length;
  expect(await executeWith({ type: "mtls", ...certificate(ours) })).toBe(FAILED);
  expect(await executeWith({ type: "mtls", ...certificate(ours), ca_cert: strangers.cert })).toBe(FAILED);
  expect(known).toHaveLength(before);
});

test("the server of this test refuses unknown certificates (positive control)", async () => {
  const { port } = new URL(url);
  const socket = connect({ port: Number(port), host: "127.0.0.1", rejectUnauthorized: false });
  const answer = Promise.withResolvers<string>();
  socket.on("secureConnect", () =>
    socket.write("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"),
  );
  socket.on("data", (piece) => answer.resolve(piece.toString()));
  expect(await answer.promise).toStartWith("HTTP/1.1 403");
  socket.destroy();
});
