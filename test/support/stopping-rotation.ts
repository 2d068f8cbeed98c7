// Rotates the root key once and stops itself with a signal at a step: `bun stopping-rotation.ts SIGNAL before|after N`,
// where N counts the writes of the rotation. Prints `stopping` first, and the id of the new key at the end.
import { writeSync } from "node:fs";
import { silentLog } from "../../src/base";
import { createRuntime } from "../../src/runtime";
import { loadConfig } from "./config";
import { NO_EXTENSIONS } from "./extensions";
import { type Hooks, pausedStore } from "./paused-store";

const [signal = "SIGKILL", side = "before", at = "1"] = process.argv.slice(2);
let hooks: Hooks | undefined;
const runtime = await createRuntime(loadConfig({ environment: process.env }), NO_EXTENSIONS, {
  log: silentLog,
  openStore: pausedStore(() => hooks),
});
const operator = await runtime.identity.operator("default");
hooks = {
  [side]: async (number: number) => {
    if (number !== Number(at)) return;
    writeSync(1, "stopping\n");
    process.kill(process.pid, signal);
    await Bun.sleep(50);
  },
};
const rotated = await runtime.rotation
  .rotateRoot(operator)
  .catch((error: unknown) => ({ id: String(error) }));
process.stdout.write(`${rotated.id}\n`);
await runtime.close();
