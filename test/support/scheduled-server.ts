// A server of its own process whose clock the test can move: prints its address; a line on standard input is how far its
// clock runs ahead from then on, ms.
import { extensions } from "../../catalogs";
import { startServer } from "../../server";
import { silentLog, systemClock } from "../../src/base";
import { loadConfig } from "./config";
import { createRuntime } from "../../src/runtime";

let ahead = Number(process.argv[2] ?? 0);
const clock = {
  ...systemClock,
  now: () => systemClock.now() + ahead,
  monotonic: () => systemClock.monotonic() + ahead,
};
const config = loadConfig({ environment: process.env });
const runtime = await createRuntime(config, extensions, { log: silentLog, clock });
const { address } = await startServer(runtime);
process.stdout.write(`${address}\n`);
for await (const line of console) {
  ahead = Number(line);
  process.stdout.write(`${ahead}\n`);
}
