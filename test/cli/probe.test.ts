// Finding the server on a data folder: an announcement counts only if the server responds.
import { expect, onTestFinished, test } from "bun:test";
import { findServer } from "../../cli/probe";
import { silentLog } from "../../src/base";
import { loadConfig } from "../support/config";
import { createRuntime, type Runtime } from "../../src/runtime";
import { announceServer, announcedServers, proofOf } from "../../src/serving";
import { temporaryFolder } from "../support/temporary";
import { NO_EXTENSIONS } from "../support/extensions";

async function openRuntime(home = temporaryFolder()): Promise<Runtime> {
  const config = loadConfig({ environment: { HOME: home } });
  const runtime = await createRuntime(config, NO_EXTENSIONS, { log: silentLog });
  onTestFinished(() => runtime.close());
  return runtime;
}

/** A listener that sends this response to every request. */
function listener(answer: (request: Request) => Response | Promise<Response>): string {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, reusePort: false, fetch: answer });
  onTestFinished(() => server.stop(true));
  return `http://127.0.0.1:${server.port}`;
}

/** A server of this data folder, as far as a proof needs one. */
function proving({ core }: Runtime): string {
  return listener(async (request) => {
    const { searchParams } = new URL(request.url);
    const proof = await proofOf(core, searchParams.get("server") ?? "", searchParams.get("challenge") ?? "");
    return proof === undefined ? new Response("", { status: 404 }) : Response.json({ proof });
  });
}

test("finds no server on a new data folder", async () => {
  expect(await findServer(await openRuntime())).toBeUndefined();
});

test("finds a server that proves itself", async () => {
  const runtime = await openRuntime();
  const address = proving(runtime);

  await announceServer(runtime.core, address);

  expect(await findServer(runtime)).toMatchObject({ address, pid: process.pid });
});

test.each([
  ["another program", () => new Response("hello")],
  ["another API", () => Response.json({ status: "ok" })],
  ["a server of an earlier version", () => Response.json({ healthy: true })],
  ["a guess", () => Response.json({ proof: "x".repeat(43) })],
  ["a redirect", () => Response.redirect("https://other.example/", 302)],
])("ignores %s at the address", async (_what, answer) => {
  const runtime = await openRuntime();

  await announceServer(runtime.core, listener(answer));

  expect(await findServer(runtime)).toBeUndefined();
});

test("a server withdraws only its own announcement", async () => {
  const { core } = await openRuntime();
  const withdrawFirst = await announceServer(core, "http://127.0.0.1:1");
  const withdrawSecond = await announceServer(core, "http://127.0.0.1:2");

  await withdrawFirst();
  expect(await announcedServers(core)).toMatchObject([{ address: "http://127.0.0.1:2" }]);

  await withdrawSecond();
  expect(await announcedServers(core)).toEqual([]);
});

test("finds the first server again when a second one stops, and the newest while both run", async () => {
  const runtime = await openRuntime();
  const [first, second] = [1, 2].map(() => proving(runtime));
  await announceServer(runtime.core, first ?? "");
  const withdrawSecond = await announceServer(runtime.core, second ?? "");
  expect(await findServer(runtime)).toMatchObject({ address: second });

  await withdrawSecond();

  expect(await findServer(runtime)).toMatchObject({ address: first });
});

test("another server on the data folder does not prove for a killed one", async () => {
  const home = temporaryFolder();
  const [killed, live] = [await openRuntime(home), await openRuntime(home)];
  // Whoever has the port of the killed server passes requests on to the live one.
  await announceServer(killed.core, proving(live));

  expect(await findServer(killed)).toBeUndefined();
  expect(await findServer(live)).toBeUndefined();
});

test("finds a server while the root key is rotated", async () => {
  const runtime = await openRuntime();
  const address = proving(runtime);
  await announceServer(runtime.core, address);
  await runtime.rotation.rotateRoot(await runtime.identity.operator("default"));

  expect(await findServer(runtime)).toMatchObject({ address });
});
