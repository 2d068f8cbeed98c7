// `runtime serve` as a service: what a service manager hears, and when it hears nothing any more.
import { describe, expect, onTestFinished, test } from "bun:test";
import { join } from "node:path";
import { makeCertificate } from "../support/certificates";
import { Installation } from "../support/runtime-process";
import { serviceManager, type ServiceManager } from "../support/service-manager";
import { temporaryFolder } from "../support/temporary";

const WATCHDOG_MS = 400;
const BLOCKING = join(import.meta.dir, "..", "support", "blocking.ts");

/** A server on a data folder of its own. */
async function serve(manager: ServiceManager, environment: Record<string, string> = {}, ...flags: string[]) {
  const own = new Installation(undefined, [
    process.execPath,
    "--preload",
    BLOCKING,
    join(import.meta.dir, "..", "..", "cli", "main.ts"),
  ]);
  onTestFinished(() => own[Symbol.asyncDispose]());
  Object.assign(own.environment, { NOTIFY_SOCKET: manager.socket }, environment);
  return own.serve(...flags);
}

const watched = { WATCHDOG_USEC: String(WATCHDOG_MS * 1000) };

describe.each([
  ["in the file system", false],
  ["with an abstract name", true],
])("over a socket %s", (_, abstract) => {
  test("reports that it is ready when it answers, where it serves, and that it stops", async () => {
    const manager = await serviceManager({ abstract });
    const server = await serve(manager);

    const ready = await manager.notice("READY=1");
    expect(ready).toEqual({
      pid: server.pid,
      fields: { READY: "1", STATUS: `Serving at ${server.address}` },
    });
    expect((await fetch(`${server.address}/v1/health`)).status).toBe(200);
    await server[Symbol.asyncDispose]();
    const stopping = await manager.notice("STOPPING=1");
    expect(stopping.fields["STATUS"]).toContain("Stopping");
    await manager.notice("STATUS=Stopped");
    expect(manager.notices.filter(({ fields }) => "WATCHDOG" in fields)).toEqual([]);
  });
});

test("answers a reload without TLS, and goes on", async () => {
  const manager = await serviceManager();
  const server = await serve(manager);
  await manager.notice("READY=1");

  process.kill(server.pid, "SIGHUP");

  const { fields } = await manager.notice("RELOADING=1", 1);
  const now = (await Bun.file("/proc/uptime").text()).split(".", 1)[0];
  expect(Math.abs(Number(fields["MONOTONIC_USEC"]) / 1e6 - Number(now))).toBeLessThan(120);
  await manager.notice(
    "READY=1",
    manager.notices.findIndex(({ fields: { RELOADING } }) => RELOADING === "1"),
  );
  expect((await fetch(`${server.address}/v1/health`)).status).toBe(200);
});

test("announces the reload of a certificate, and its end", async () => {
  const manager = await serviceManager();
  const { cert, key } = makeCertificate(temporaryFolder(), "localhost");
  const server = await serve(manager, {}, "--tls-cert", cert, "--tls-key", key);
  await manager.notice("READY=1");

  process.kill(server.pid, "SIGHUP");

  await manager.notice("RELOADING=1", 1);
  await manager.notice("READY=1", 2);
  expect(server.output()).toContain("Certificate and key were reloaded.");
});

describe("the watchdog", () => {
  test("hears from the server while it works, and nothing while it is frozen", async () => {
    const manager = await serviceManager();
    const server = await serve(manager, watched);
    await manager.notice("WATCHDOG=1");
    await manager.notice("WATCHDOG=1", manager.notices.length);

    process.kill(server.pid, "SIGSTOP");
    await manager.silence(2 * WATCHDOG_MS);
    const before = manager.notices.length;
    process.kill(server.pid, "SIGCONT");

    expect((await manager.notice("WATCHDOG=1", before)).pid).toBe(server.pid);
  });

  test("hears nothing when the event loop is blocked", async () => {
    const manager = await serviceManager();
    const server = await serve(manager, watched);
    await manager.notice("WATCHDOG=1");

    process.kill(server.pid, "SIGUSR2");

    await manager.silence(2 * WATCHDOG_MS);
    expect(manager.notices.at(-1)?.fields).toEqual({ WATCHDOG: "1" });
  });

  test("is left alone if it watches another process", async () => {
    const manager = await serviceManager();
    await serve(manager, { ...watched, WATCHDOG_PID: "1" });
    await manager.notice("READY=1");

    await manager.silence(2 * WATCHDOG_MS);
    expect(manager.notices).toHaveLength(1);
  });
});

test("serves as without a service manager when the socket does not exist, and says so once", async () => {
  const server = await serve(await serviceManager(), { ...watched, NOTIFY_SOCKET: "/nonexistent/notify" });

  expect((await fetch(`${server.address}/v1/health`)).status).toBe(200);
  await Bun.sleep(3 * WATCHDOG_MS);
  expect(server.output().match(/service manager could not be notified/g)).toHaveLength(1);
});
