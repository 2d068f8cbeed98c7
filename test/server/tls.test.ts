// TLS of the server's own: what it serves, what it refuses to start with, and a new certificate while it runs.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { startServer } from "../../server";
import { type Clock, createLog, silentLog, systemClock } from "../../src/base";
import { loadConfig } from "../support/config";
import { RuntimeError } from "../../src/errors";
import { createRuntime } from "../../src/runtime";
import { type Certificate, makeCertificate } from "../support/certificates";
import { NO_EXTENSIONS } from "../support/extensions";
import { startOwn } from "./own";

const folder = mkdtempSync(join(tmpdir(), "runtime-tls-"));
let first: Certificate;
let second: Certificate;
beforeAll(() => {
  first = makeCertificate(folder, "first");
  second = makeCertificate(folder, "second");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function startSecure(
  { cert, key }: Certificate,
  more: Record<string, string> = {},
  clock: Clock = systemClock,
) {
  const home = mkdtempSync(join(tmpdir(), "runtime-tls-home-"));
  const environment = {
    HOME: home,
    RUNTIME_PORT: "0",
    RUNTIME_TLS_CERT: cert,
    RUNTIME_TLS_KEY: key,
    ...more,
  };
  const logLines: string[] = [];
  const log = createLog({ level: "warn", clock: systemClock, write: (line) => logLines.push(line) });
  const runtime = await createRuntime(loadConfig({ environment }), NO_EXTENSIONS, { log, clock });
  const end = async () => {
    await runtime.close();
    rmSync(home, { recursive: true, force: true });
  };
  const server = await startServer(runtime).catch(async (error: unknown) => {
    await end();
    throw error;
  });
  return {
    ...server,
    runtime,
    logLines,
    [Symbol.asyncDispose]: async () => {
      await server.stop();
      await end();
    },
  };
}

/** Of a new connection. */
function certificateOf(address: string): Promise<string> {
  const { hostname: host, port } = new URL(address);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect({ host, port: Number(port), rejectUnauthorized: false }, () => {
    resolve(String(socket.getPeerCertificate().subject.CN));
    socket.end();
  });
  socket.on("error", reject);
  return promise;
}

const get = (address: string, path = "/v1/health") =>
  fetch(address + path, { tls: { rejectUnauthorized: false }, keepalive: false });

describe("a server with a certificate", () => {
  test("speaks TLS with it, at an address that says so", async () => {
    await using server = await startSecure(first);

    expect(server.address).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(server.runtime.core.publicUrl()).toBe(server.address);
    expect(await certificateOf(server.address)).toBe("first");
    expect((await get(server.address)).status).toBe(200);
    expect(server.logLines).toEqual([]);
  });

  test("speaks nothing else", async () => {
    await using server = await startSecure(first);
    const plain = get(server.address.replace("https:", "http:")).then(
      ({ status }) => status,
      () => "refused",
    );
    expect(await plain).not.toBe(200);
  });

  test("may be reached from other machines", async () => {
    await using server = await startSecure(first, { RUNTIME_HOST: "0.0.0.0" });
    expect(server.address).toMatch(/^https:\/\/localhost:\d+$/);
    expect((await get(server.address)).status).toBe(200);
  });
});

/** The cipher that OpenSSL agrees on with the server, out of those of TLS 1.2 that it offers; undefined: none. */
async function agreedCipher(address: string, ciphers: string): Promise<string | undefined> {
  const { port } = new URL(address);
  const words = ["openssl", "s_client", "-connect", `127.0.0.1:${port}`, "-tls1_2", "-cipher", ciphers];
  const child = Bun.spawn(words, { stdin: new Blob([""]), stdout: "pipe", stderr: "ignore" });
  const [, cipher] = /Cipher is (\S+)/.exec(await new Response(child.stdout).text()) ?? [];
  return cipher === "(NONE)" ? undefined : cipher;
}

describe("TLS 1.2", () => {
  const STRONG = /^ECDHE-(ECDSA|RSA)-(AES\d+-GCM|CHACHA20)/;

  test.each(["ec", "rsa"] as const)("agrees on forward secrecy and AEAD only (%s key)", async (algorithm) => {
    await using server = await startSecure(makeCertificate(folder, algorithm, algorithm));
    const listed = Bun.spawnSync([
      "openssl",
      "ciphers",
      "-s",
      "-tls1_2",
      "ALL:@SECLEVEL=0",
    ]).stdout.toString();
    const weak = listed
      .trim()
      .split(":")
      .filter((cipher) => !STRONG.test(cipher));
    const one = (cipher: string) => agreedCipher(server.address, `${cipher}:@SECLEVEL=0`);

    expect(weak).toContain("AES128-SHA");
    expect(await one(weak.join(":"))).toBeUndefined();
    expect(await one("ALL")).toMatch(STRONG);
  });
});

describe("a browser is told to use https only (HSTS)", () => {
  const hsts = async (address: string, path: string) => {
    const response = await get(address, path);
    // A server waits for a client that has not read everything before it stops.
    await response.arrayBuffer();
    return response.headers.get("strict-transport-security");
  };

  test.each(["/v1/health", "/v1/nothing", "/authorize/x", "/mcp/x", "/openapi.json", "/v1/swagger/ui"])(
    "at %s",
    async (path) => {
      await using server = await startSecure(first);

      expect(await hsts(server.address, path)).toBe("max-age=31536000");
    },
  );

  test("behind a proxy that ends TLS, and not by a server without TLS", async () => {
    await using proxied = await startOwn([], { RUNTIME_PUBLIC_URL: "https://runtime.test" });
    await using plain = await startOwn();

    expect(await hsts(proxied.url, "/v1/health")).toBe("max-age=31536000");
    expect(await hsts(plain.url, "/v1/health")).toBeNull();
  });
});

describe("a new certificate", () => {
  test("serves the next connections, and what is under way goes on", async () => {
    const mine = { cert: join(folder, "mine.pem"), key: join(folder, "mine.key") };
    copyFileSync(first.cert, mine.cert);
    copyFileSync(first.key, mine.key);
    await using server = await startSecure(mine);
    const operator = await server.runtime.identity.operator("default");
    const { key = "" } = await server.runtime.identity.createKey(operator, { name: "x", role: "admin" });
    const { port } = new URL(server.address);
    // A request whose body is still on its way when the certificate changes.
    const socket = connect({ host: "127.0.0.1", port: Number(port), rejectUnauthorized: false });
    const answer = Promise.withResolvers<string>();
    let received = "";
    socket.on("data", (bytes) => (received += bytes.toString()));
    socket.on("close", () => answer.resolve(received));
    const body = '{"value":"v"}';
    const head = `POST /v1/admin/secrets/SLOW HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: ${key}\r\n`;
    socket.write(`${head}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n{`);
    // The server has received it when it answers this.
    expect((await get(server.address)).status).toBe(200);

    copyFileSync(second.cert, mine.cert);
    copyFileSync(second.key, mine.key);
    await server.renewTls();

    expect(await certificateOf(server.address)).toBe("second");
    expect((await get(server.address)).status).toBe(200);
    socket.write(body.slice(1));
    expect(await answer.promise).toStartWith("HTTP/1.1 200");
  });

  test("that cannot serve is refused, and the old one stays", async () => {
    const mine = { cert: join(folder, "kept.pem"), key: join(folder, "kept.key") };
    copyFileSync(first.cert, mine.cert);
    copyFileSync(first.key, mine.key);
    await using server = await startSecure(mine);

    copyFileSync(second.cert, mine.cert);
    const error: unknown = await server.renewTls().catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(RuntimeError);
    expect(await certificateOf(server.address)).toBe("first");
  });

  test("twenty times in a row leaves a server that answers each time, and stops", async () => {
    await using server = await startSecure(first);
    const statuses: number[] = [];
    for (let count = 0; count < 20; count++) {
      await server.renewTls();
      statuses.push((await get(server.address)).status);
    }
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  test("asked for many times at once is done one after the other", async () => {
    await using server = await startSecure(first);
    await Promise.all(Array.from({ length: 5 }, () => server.renewTls()));
    expect((await get(server.address)).status).toBe(200);
  });
});

describe("the start is refused with one line that names the file", () => {
  const path = (name: string) => join(folder, name);
  beforeAll(() => {
    writeFileSync(path("empty.pem"), "");
    writeFileSync(path("nonsense.key"), "-----BEGIN PRIVATE KEY-----\ns3cr3t\n-----END PRIVATE KEY-----\n");
    const locked = ["openssl", "ec", "-aes256", "-passout", "pass:x", "-in", path("first.key")];
    Bun.spawnSync([...locked, "-out", path("locked.key")]);
  });

  test.each([
    ["a certificate that is not there", "none.pem", "first.key", "tls.cert: "],
    ["a key that is not there", "first.pem", "none.key", "tls.key: "],
    ["a folder", ".", "first.key", "tls.cert: "],
    ["an empty certificate", "empty.pem", "first.key", "tls.cert: "],
    ["a key in the place of the certificate", "first.key", "first.key", "tls.cert: "],
    ["a certificate in the place of the key", "first.pem", "first.pem", "tls.key: "],
    ["a key that is none", "first.pem", "nonsense.key", "tls.key: "],
    ["a key with a passphrase", "first.pem", "locked.key", "tls.key: "],
    ["the key of another certificate", "first.pem", "second.key", "does not belong"],
  ])("%s", async (_what, cert, key, text) => {
    const started = startSecure({ cert: path(cert), key: path(key) });
    const error: unknown = await started.then(
      (server) => server[Symbol.asyncDispose](),
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof RuntimeError)) throw new Error("it started");
    expect(error.name).toBe("configuration");
    expect(error.message).toContain(text);
    expect(error.message).not.toMatch(/\n|s3cr3t/);
  });

  test.each([
    ["RUNTIME_TLS_CERT", "tls.cert is set but tls.key is not"],
    ["RUNTIME_TLS_KEY", "tls.key is set but tls.cert is not"],
  ])("%s alone", async (name, text) => {
    const environment = { HOME: folder, [name]: join(folder, "first.pem") };
    const error: unknown = await createRuntime(loadConfig({ environment }), NO_EXTENSIONS, {
      log: silentLog,
    }).catch((thrown: unknown) => thrown);
    expect(String(error)).toContain(text);
  });
});

test("an expired certificate is served, and the log says so", async () => {
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + 3 * 86_400_000 };
  await using server = await startSecure(first, {}, clock);
  expect(server.logLines.join("\n")).toContain("the certificate of the server has expired");
});

test("chooses the cipher, and hands out no session tickets", async () => {
  await using server = await startSecure(first);
  const port = new URL(server.address).port;
  const agreed = await agreedCipher(
    server.address,
    "ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-ECDSA-AES128-GCM-SHA256",
  );
  const words = ["openssl", "s_client", "-connect", `127.0.0.1:${port}`, "-tls1_2"];
  const child = Bun.spawn(words, { stdin: "ignore", stdout: "pipe", stderr: "ignore" });
  const printed = await new Response(child.stdout).text();

  expect(agreed).toBe("ECDHE-ECDSA-AES128-GCM-SHA256");
  expect(printed).toContain("Cipher is ECDHE");
  expect(printed).not.toContain("TLS session ticket");
});
