// A process that is killed while it applies a manifest has made all of its changes, or none.
import { expect, test } from "bun:test";
import { join } from "node:path";
import { silentLog } from "../../src/base";
import type { ExportedManifest } from "../../src/manifest";
import { createRuntime } from "../../src/runtime";
import { startChild } from "../support/child";
import { loadConfig } from "../support/config";
import { NO_EXTENSIONS } from "../support/extensions";
import { temporaryFolder } from "../support/temporary";
import { operator } from "../tools/deployment";
import { manifestOf, roundsIn } from "./rounds";

async function exportedFrom(folder: string): Promise<ExportedManifest> {
  const config = loadConfig({ environment: { HOME: folder } });
  const runtime = await createRuntime(config, NO_EXTENSIONS, { log: silentLog });
  try {
    return await runtime.manifests.export(operator());
  } finally {
    await runtime.close();
  }
}

test("a killed apply leaves one manifest or the other, 20 times", async () => {
  const folder = temporaryFolder();
  const states: number[] = [];
  for (let kill = 0; kill < 20; kill++) {
    const first = kill * 1000;
    const child = startChild(join(import.meta.dir, "apply-child.ts"), folder, String(first));
    expect(await child.line()).toBe("started");
    const done = Number(await child.line());
    await Bun.sleep(kill * 2);
    child.kill();
    await child.exited;

    const exported = await exportedFrom(folder);
    const rounds = roundsIn(exported);
    expect(rounds).toHaveLength(1);
    expect(Number(rounds[0])).toBeGreaterThanOrEqual(done);
    states.push(Number(rounds[0]));
    for (const list of ["secrets", "providers", "gateways", "plugins", "hooks", "models"] as const)
      expect([list, exported[list]]).toMatchObject([list, { length: manifestOf(0)[list]?.length }]);
  }
  expect(new Set(states).size).toBe(20);
}, 120_000);
