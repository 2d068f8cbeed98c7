// Finding the server on a data folder: an announcement counts only if the server responds.
import { expect, onTestFinished, test } from "bun:test";
import { findServer } from "../../cli/probe";
import { silentLog } from "../../src/base";
import { loadConfig } from "../support/config";
import { createRuntime, type Runtime } from "../../src/runtime";
import { announceServer, announcedServers } from "../../src/serving";
import { setFact } from "../../src/store";
import { temporaryFolder } from "../support/temporary";
import { NO_EXTENSIONS } from "../support/extensions";

async function openRuntime(): Promise<Runtime> {
  const config = loadConfig({ environment: { HOME: temporaryFolder() } });
  const runtime = await createRuntime(config, NO_EXTENSIONS, { log: silentLog });
  onTestFinished(() => runtime.close());
  return runtime;
}

/** A listener that sends this response to every request. */
function listener(answer: () => Response): string {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, reusePort: false, fetch: answer });
  onTestFinished(() => server.stop(true));
  return `http://127.0.0.1:${server.port}`;
}

test("finds no server on a new data folder", async () => {
  expect(await findServer(await openRuntime())).toBeUndefined();
});

test.each([true, false])("finds a server that reports healthy: %s", async (healthy) => {
  const runtime = await openRuntime();
  const address = listener(() => Response.json({ healthy }, { status: healthy ? 200 : 503 }));

  await announceServer(runtime.core, address);

  expect(await findServer(runtime)).toMatchObject({ address, pid: process.pid });
});

test.each([
  ["another program", () => new Response("hello")],
  ["another API", () => Response.json({ status: "ok" })],
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
  const [first, second] = [1, 2].map(() => listener(() => Response.json({ healthy: true })));
  await announceServer(runtime.core, first ?? "");
  const withdrawSecond = await announceServer(runtime.core, second ?? "");
  expect(await findServer(runtime)).toMatchObject({ address: second });

  await withdrawSecond();

  expect(await findServer(runtime)).toMatchObject({ address: first });
});

test("finds a server behind the announcements of killed ones, which do not accumulate", async () => {
  const runtime = await openRuntime();
  const address = listener(() => Response.json({ healthy: true }));
  await announceServer(runtime.core, address);
  for (let port = 1; port <= 5; port++) await announceServer(runtime.core, `http://127.0.0.1:${port}`);
  expect(await findServer(runtime)).toMatchObject({ address });

  for (let port = 1; port <= 40; port++) await announceServer(runtime.core, `http://127.0.0.1:${port}`);
  await announceServer(runtime.core, address);
  await announceServer(runtime.core, address);

  const announced = await announcedServers(runtime.core);
  expect(announced.length).toBe(20);
  expect(await findServer(runtime)).toMatchObject({ address });
});

test("finds a server of an earlier version", async () => {
  const runtime = await openRuntime();
  const address = listener(() => Response.json({ healthy: true }));
  const value = JSON.stringify({ address, public_url: address, pid: 1 });
  await runtime.core.store.write(() => setFact("server", value));

  expect(await findServer(runtime)).toMatchObject({ address });
});
