// Changes of one record that arrive at the same time: each is made, to what the one before it has left.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startPlainWorker } from "../sandbox/workers";
import { api, at } from "../support/api";
import { mcpWorker, startWorkerSite, type WorkerSite } from "../workers/site";

let site: WorkerSite;
let admin: ReturnType<typeof api>;
beforeAll(async () => {
  site = await startWorkerSite();
  admin = api(site.url, await site.key("admin"));
});
afterAll(() => site[Symbol.asyncDispose]());

const COUNT = 12;
const numbers = Array.from({ length: COUNT }, (_, index) => index + 1);

test("changes of a plugin", async () => {
  const endpoint = { url: "https://hooks.example/pre", phase: "before", failure_mode: "fail_open" };
  const webhook_config = { endpoints: { pre: endpoint } };
  const made = await admin.post("/v1/plugins", { name: "many", plugin_type: "webhook", webhook_config });
  const path = `/v1/plugins/${String(at(made.body, "id"))}`;
  // Credentials are sealed before the transaction.
  const auth = (number: number) => ({ auth: { type: "bearer", token: `token-${number}` } });

  const changed = await Promise.all(
    numbers.map((number) => admin.patch(path, { webhook_config: auth(number) })),
  );

  expect(changed.map(({ status }) => status)).toEqual(numbers.map(() => 200));
  expect(at((await admin.get(path)).body, "version")).toBe(COUNT + 1);
});

test("changes of a worker, and consents to it", async () => {
  await using upstream = await startPlainWorker();
  await admin.post("/v1/workers", mcpWorker("many", upstream.uri));

  const changed = await Promise.all([
    ...numbers.map((timeout) => admin.patch("/v1/workers/many", { mcp: { timeout } })),
    ...numbers.map((retry) => admin.patch("/v1/workers/many", { mcp: { retry: retry % 10 } })),
    admin.get("/v1/workers/many/authorize"),
  ]);

  expect(changed.map(({ status }) => status)).toEqual(changed.map(() => 200));
  const made = await admin.get("/v1/admin/audit?action=worker.update&limit=100");
  expect(at(made.body, "items")).toHaveLength(2 * COUNT);
});

test("a change of a record that does not exist is 404", async () => {
  const [plugin, worker] = await Promise.all([
    admin.patch("/v1/plugins/pl_unknown", { description: "x" }),
    admin.patch("/v1/workers/unknown", { enabled: false }),
  ]);
  expect([plugin.status, worker.status]).toEqual([404, 404]);
});
