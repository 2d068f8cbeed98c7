// A process that does one piece of work and stops itself (SIGSTOP) at a step of it: before or after one of its writes, requests
// and responses. `bun stopping-work.ts ENVIRONMENT refresh|run STEP`; a step of 0 is never reached. After a line on its
// standard input it prints `step NAME` when it stops, and `ended STEPS RESULT` at its end.
import { writeSync } from "node:fs";
import { silentLog, systemClock } from "../../src/base";
import { createEgress } from "../../src/egress";
import { createRuntime, type Runtime } from "../../src/runtime";
import { openSqlite, query } from "../../src/store";
import { call } from "../connections/executing";
import { known, sendOnce, testCatalog } from "../tools/catalog";
import { loadConfig } from "./config";

const [environment = "{}", work = "refresh", at = "0"] = process.argv.slice(2);
const OPEN = query<{ count: number }>(
  "SELECT COUNT(*) AS count FROM scheduled_runs WHERE finished_at IS NULL",
);
let steps = 0;
let isCounting = false;

function step(name: string): void {
  if (!isCounting || ++steps !== Number(at)) return;
  writeSync(1, `step ${name}\n`);
  process.kill(process.pid, "SIGSTOP");
}

const egress = createEgress({ allow: ["loopback"], timeoutMs: 30_000, maxBytes: 1_000_000, log: silentLog });
const test = testCatalog();
test.act = sendOnce;
const runtime = await createRuntime(
  loadConfig({ environment: JSON.parse(environment) }),
  { catalogs: [test.catalog], presets: [known] },
  {
    log: silentLog,
    clock: systemClock,
    egress: {
      fetch: async (url, request) => {
        step("before a request");
        const response = await egress.fetch(url, request);
        step("after a response");
        return response;
      },
    },
    openStore: (options) => {
      const store = openSqlite(options);
      const write = store.write.bind(store);
      if (!options.file.endsWith("runtime.db")) return store;
      store.write = async (body, how) => {
        step("before a write");
        const value = await write(body, how);
        step("after a write");
        return value;
      };
      return store;
    },
  },
);

async function refresh(): Promise<unknown> {
  return call(runtime, "alice").then(
    ({ success }) => success,
    () => "refused",
  );
}

async function run({ core: { store }, tools }: Runtime): Promise<unknown> {
  const worker = tools.startWorker();
  while ((await store.get(OPEN))?.count !== 0) await Bun.sleep(50);
  await worker.stop();
  return true;
}

console.log(`ready ${process.pid}`);
for await (const _line of console) {
  isCounting = true;
  const result = await (work === "refresh" ? refresh() : run(runtime));
  isCounting = false;
  console.log(`ended ${steps} ${result}`);
}
await runtime.close();
