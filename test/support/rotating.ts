// Rotates the root key again and again until it is killed; prints a line after each.
import { silentLog } from "../../src/base";
import { loadConfig } from "./config";
import { createRuntime } from "../../src/runtime";
import { NO_EXTENSIONS } from "./extensions";

const runtime = await createRuntime(loadConfig({ environment: process.env }), NO_EXTENSIONS, {
  log: silentLog,
});
const operator = await runtime.identity.operator("default");
process.stdout.write("started\n");
for (;;) {
  await runtime.rotation.rotateRoot(operator);
  process.stdout.write("rotated\n");
}
