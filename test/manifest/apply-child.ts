// Applies one manifest after the other until it is killed; prints a line after each. Its argument: the data folder.
import { silentLog } from "../../src/base";
import { createRuntime } from "../../src/runtime";
import { loadConfig } from "../support/config";
import { NO_EXTENSIONS } from "../support/extensions";
import { operator } from "../tools/deployment";
import { manifestOf } from "./rounds";

const environment = { HOME: process.argv[2] ?? "" };
const runtime = await createRuntime(loadConfig({ environment }), NO_EXTENSIONS, { log: silentLog });
process.stdout.write("started\n");
for (let round = Number(process.argv[3]); ; round++) {
  await runtime.manifests.apply(operator(), manifestOf(round), { prune: true });
  process.stdout.write(`${round}\n`);
}
