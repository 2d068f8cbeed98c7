// `runtime serve` as a process.
import { describe, expect, onTestFinished, test } from "bun:test";
import { copyFileSync, writeFileSync } from "node:fs";
import { connect as connectPlain } from "node:net";
import { connect } from "node:tls";
import { at } from "../support/api";
import { makeCertificate } from "../support/certificates";
import { temporaryFolder } from "../support/temporary";
import { MAIN, runProcess } from "./support/processes";

interface Serving {
  address: string;
  env: Record<string, string>;
  /** Everything on standard error so far. */
  notes(): string;
  stop(signal: NodeJS.Signals): Promise<number>;
  signal(signal: NodeJS.Signals): void;
  exited: Promise<number>;
}

async function serve(more: Record<string, string> = {}, ...flags: string[]): Promise<Serving> {
  const env = { HOME: temporaryFolder(), PATH: process.env["PATH"] ?? "", ...more };
  const argv = [process.execPath, MAIN, "serve", "--port", "0", ...flags];
  const child = Bun.spawn(argv, { env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  onTestFinished(() => child.kill("SIGKILL"));
  let notes = "";
  const first = Promise.withResolvers<string>();
  void (async () => {
    for await (const bytes of child.stderr) {
      notes += new TextDecoder().decode(bytes);
      if (notes.includes("\n")) first.resolve(notes.split("\n", 1)[0] ?? "");
    }
    first.reject(new Error(`ended: ${notes}`));
  })();
  return {
    address: await first.promise,
    env,
    notes: () => notes,
    signal: (signal) => child.kill(signal),
    exited: child.exited,
    stop: async (signal) => {
      child.kill(signal);
      return child.exited;
    },
  };
}

async function health(address: string): Promise<number> {
  return (await fetch(`${address}/v1/health`)).status;
}

test("prints only the address on the first line of standard error", async () => {
  const server = await serve({ RUNTIME_LOG_LEVEL: "debug" });

  expect(server.address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(await health(server.address)).toBe(200);
});

test("prints no key, and explains how to create one until one exists", async () => {
  const server = await serve();
  expect(await health(server.address)).toBe(200);

  expect(server.notes()).toContain("runtime keys create");
  expect(server.notes()).not.toContain("rt_");

  await runProcess(["keys", "create", "agent"], { env: server.env });
  await server.stop("SIGTERM");
  const again = await serve({ HOME: server.env["HOME"] ?? "" });
  expect(await health(again.address)).toBe(200);
  expect(again.notes()).not.toContain("runtime keys create");
});

test.each<NodeJS.Signals>(["SIGINT", "SIGTERM"])("exits 0 on %s after requests in flight", async (signal) => {
  const server = await serve();
  const created = await runProcess(["keys", "create", "x", "-o", "json"], { env: server.env });
  const provider = ["providers", "create", "slack", "--provider", "slack", "--client-id", "1"];
  expect((await runProcess(provider, { env: server.env })).code).toBe(0);
  const pending = await runProcess(
    ["auth", "start", "slack", "--user", "alice", "--scope", "x", "-o", "json"],
    {
      env: server.env,
    },
  );
  const { key } = JSON.parse(created.stdout);
  const { id } = JSON.parse(pending.stdout);
  const waiting = fetch(`${server.address}/v1/auth/status?id=${id}&wait=1`, {
    headers: { authorization: key },
  });
  await health(server.address);

  const code = await server.stop(signal);

  expect(code).toBe(0);
  expect((await waiting).status).toBe(200);
});

test("SIGTERM ends long polls and closes the port", async () => {
  const server = await serve();
  const created = await runProcess(["keys", "create", "x", "-o", "json"], { env: server.env });
  const provider = ["providers", "create", "slack", "--provider", "slack", "--client-id", "1"];
  await runProcess(provider, { env: server.env });
  const start = ["auth", "start", "slack", "--user", "alice", "--scope", "x", "-o", "json"];
  const { id } = JSON.parse((await runProcess(start, { env: server.env })).stdout);
  const headers = { authorization: JSON.parse(created.stdout).key };
  const waiting = fetch(`${server.address}/v1/auth/status?id=${id}&wait=59`, { headers });
  await health(server.address);

  // The wait is longer than a test may take.
  const code = await server.stop("SIGTERM");

  expect(code).toBe(0);
  expect(at(await (await waiting).json(), "status")).toBe("pending");
  expect(await fetch(server.address).catch(() => "refused")).toBe("refused");
});

test("with shutdown.delay, is not ready and answers, and a second signal ends it at once", async () => {
  const server = await serve({ RUNTIME_SHUTDOWN_DELAY: "60" });
  const statusOf = async (path: string): Promise<number> => (await fetch(server.address + path)).status;
  const before = await statusOf("/readyz");

  server.signal("SIGTERM");
  while ((await statusOf("/readyz")) === 200) await Bun.sleep(5);
  const after = await Promise.all(["/readyz", "/livez", "/v1/health", "/v1/config"].map(statusOf));
  // Within half a second it would be a duplicate.
  await Bun.sleep(600);
  const code = await server.stop("SIGTERM");

  expect(before).toBe(200);
  expect(after).toEqual([503, 200, 200, 200]);
  expect(code).toBe(130);
});

test("with shutdown.delay, ends when the delay has passed", async () => {
  const server = await serve({ RUNTIME_SHUTDOWN_DELAY: "1" });

  expect(await server.stop("SIGTERM")).toBe(0);
  expect(server.notes()).toMatch(/"not ready any more[^]*"stopped"/);
});

describe("a repeated signal during a request", () => {
  // A request with half of its body; it ends when the test sends the rest.
  const half = async (server: Serving): Promise<{ finish(): Promise<string> }> => {
    const created = await runProcess(["keys", "create", "x", "--role", "admin", "-o", "json"], {
      env: server.env,
    });
    const body = JSON.stringify({ value: "v" });
    const head = [
      "POST /v1/admin/secrets/slow HTTP/1.1",
      "host: here",
      `authorization: ${JSON.parse(created.stdout).key}`,
      "content-type: application/json",
      `content-length: ${body.length}`,
      "connection: close",
    ];
    const socket = connectPlain({ host: "127.0.0.1", port: Number(new URL(server.address).port) });
    socket.on("error", () => undefined);
    const closed = new Promise((resolve) => socket.once("close", resolve));
    let answer = "";
    socket.on("data", (bytes) => (answer += String(bytes)));
    socket.write(`${head.join("\r\n")}\r\n\r\n${body.slice(0, 5)}`);
    // The server has received it when it answers this.
    await health(server.address);
    return {
      finish: async () => {
        socket.write(body.slice(5));
        await closed;
        return answer.split("\r\n", 1)[0] ?? "";
      },
    };
  };

  test("is ignored as a duplicate within 500 ms: the request is answered", async () => {
    const server = await serve();
    const { finish } = await half(server);

    server.signal("SIGINT");
    while (!server.notes().includes("Stopping")) await Bun.sleep(1);
    const ended = server.stop("SIGINT");

    expect(await finish()).toBe("HTTP/1.1 200 OK");
    expect(await ended).toBe(0);
  });

  test("exits at once if it comes later", async () => {
    const server = await serve();
    await half(server);

    let code: number | undefined;
    void server.exited.then((exited) => (code = exited));
    // The request never ends; signals close together are one, and a later one ends the server.
    while (code === undefined) {
      server.signal("SIGINT");
      await Bun.sleep(100);
    }

    expect(code).toBe(130);
  });
});

describe("TLS", () => {
  const subjectAt = async (address: string): Promise<string> => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const target = { host: "127.0.0.1", port: Number(new URL(address).port), rejectUnauthorized: false };
    const socket = connect(target, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.end();
    });
    socket.on("error", reject);
    return promise;
  };

  test("serves a renewed certificate after SIGHUP, and keeps the old one if the new one is broken", async () => {
    const folder = temporaryFolder();
    const { cert, key } = makeCertificate(folder, "before");
    const server = await serve({}, "--tls-cert", cert, "--tls-key", key);
    const notes = async (text: string) => {
      for (let tries = 0; !server.notes().includes(text) && tries < 100; tries++) await Bun.sleep(20);
      expect(server.notes()).toContain(text);
    };
    expect(server.address).toStartWith("https://127.0.0.1:");
    expect(await subjectAt(server.address)).toBe("before");

    const renewed = makeCertificate(folder, "after");
    copyFileSync(renewed.cert, cert);
    copyFileSync(renewed.key, key);
    server.signal("SIGHUP");
    await notes("Certificate and key were reloaded.");
    expect(await subjectAt(server.address)).toBe("after");

    writeFileSync(cert, "nonsense");
    server.signal("SIGHUP");
    await notes("The old ones remain in use.");
    expect(await subjectAt(server.address)).toBe("after");

    // Commands find it, whatever the name in its certificate.
    const provider = [
      "providers",
      "create",
      "slack",
      "--provider",
      "slack",
      "--client-id",
      "1",
      "-o",
      "json",
    ];
    const ran = await runProcess(provider, { env: server.env });
    expect(at(JSON.parse(ran.stdout), "oauth2.redirect_uri")).toStartWith(`${server.address}/api/v1/oauth/`);
    expect(await server.stop("SIGTERM")).toBe(0);
  });

  test("is required for an address that other machines reach, unless a proxy is configured", async () => {
    const env = { HOME: temporaryFolder() };
    const bare = await runProcess(["serve", "--host", "0.0.0.0", "--port", "0"], { env });

    expect(bare.code).toBe(1);
    expect(bare.stderr).toMatch(/^error: 0\.0\.0\.0 can be reached from other machines[^\n]*\n$/);
    const behind = await serve({ RUNTIME_BEHIND_PROXY: "true" }, "--host", "0.0.0.0");
    expect(await health(behind.address)).toBe(200);
  });
});

test("a second server on the port fails at once with the reason [fault: shared-port]", async () => {
  const server = await serve();
  const port = new URL(server.address).port;

  const second = await runProcess(["serve", "--port", port], { env: { HOME: temporaryFolder() } });

  expect(second.code).toBe(1);
  expect(second.stderr).toMatch(new RegExp(`^error: 127\\.0\\.0\\.1:${port} is in use.*\\n$`));
  expect(await health(server.address)).toBe(200);
});

test("commands use its address, and it applies their changes at once", async () => {
  const server = await serve();
  const created = await runProcess(["keys", "create", "x", "--role", "read", "-o", "json"], {
    env: server.env,
  });
  const { id, key } = JSON.parse(created.stdout);
  const list = () => fetch(`${server.address}/v1/tools`, { headers: { authorization: key } });
  expect((await list()).status).toBe(200);

  const provider = ["providers", "create", "slack", "--provider", "slack", "--client-id", "1", "-o", "json"];
  const ran = await runProcess(provider, { env: server.env });
  await runProcess(["keys", "delete", id, "--force"], { env: server.env });

  expect(at(JSON.parse(ran.stdout), "oauth2.redirect_uri")).toStartWith(`${server.address}/api/v1/oauth/`);
  expect((await list()).status).toBe(401);
});

test("commands detect that it has stopped", async () => {
  const server = await serve();
  const provider = ["providers", "create", "slack", "--provider", "slack", "--client-id", "1"];
  await runProcess(provider, { env: server.env });
  const start = ["auth", "start", "slack", "--user", "alice", "--scope", "x"];
  expect((await runProcess(start, { env: server.env })).stderr).toBe("");

  await server.stop("SIGTERM");

  expect((await runProcess(start, { env: server.env })).stderr).toContain("No server is running.");
});
