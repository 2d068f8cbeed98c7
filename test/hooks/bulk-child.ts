// Disables and enables all hooks of a project in bulk until it is killed; prints a line after each answer. Its argument: the
// data folder.
import { silentLog } from "../../src/base";
import { loadConfig } from "../support/config";
import { createRuntime } from "../../src/runtime";
import { operator } from "../tools/deployment";
import { NO_EXTENSIONS } from "../support/extensions";

const environment = { HOME: process.argv[2] ?? "" };
const runtime = await createRuntime(loadConfig({ environment }), NO_EXTENSIONS, { log: silentLog });
const { items } = await runtime.plugins.list(operator(), { limit: 100 });
process.stdout.write("started\n");
for (let round = 0; ; round++) {
  const status = round % 2 === 0 ? ("inactive" as const) : ("active" as const);
  const configs = items.map(({ id }) => ({ plugin_id: id, hook_point: "tool.pre" as const, status }));
  await runtime.hooks.bulk(operator(), { configs });
  process.stdout.write(`${round}\n`);
}
