// Names of settings that catalogs and presets use, checked when the runtime starts.
import { expect, test } from "bun:test";
import { extensions } from "../../catalogs";
import { silentLog } from "../../src/base";
import { createRuntime } from "../../src/runtime";
import type { Extensions } from "../../src/tools";
import { loadConfig } from "../support/config";
import { temporaryFolder } from "../support/temporary";

async function start(shipped: Extensions): Promise<void> {
  const environment = { HOME: temporaryFolder() };
  const runtime = await createRuntime(loadConfig({ environment }), shipped, { log: silentLog });
  await runtime.close();
}

const [preset] = extensions.presets;
const toolkit = { name: "Kit", description: "A kit.", version: "1.0.0" };

test.each<[string, Partial<Extensions>]>([
  ["a catalog", { catalogs: [{ toolkit, bases: { api: { setting: "chat.api_ulr" } }, tools: [] }] }],
  [
    "a preset",
    {
      presets:
        preset === undefined
          ? []
          : [
              {
                ...preset,
                tokenServers: { parameter: "p", fact: "f", origins: [], setting: "chat.api_ulr" },
              },
            ],
    },
  ],
])("%s that names an undeclared setting stops the start", async (_what, changed) => {
  await expect(start({ ...extensions, ...changed })).rejects.toThrow(
    "chat.api_ulr is not a declared setting",
  );
});

test("the names that the product uses are declared", async () => {
  await expect(start(extensions)).resolves.toBeUndefined();
});
