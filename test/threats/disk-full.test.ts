// A disk that fills up: writes are refused and said to be, reads and live grants go on, and afterwards everything works and
// what was deleted is gone. Refreshed tokens on a full disk: test/processes/full-disk.test.ts.
import { expect, onTestFinished } from "bun:test";
import { readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSqlite } from "../../src/store";
import { call } from "../connections/executing";
import { dataKeysIn, rawFiles, valuesIn, wrappingKey } from "../support/raw-files";
import { mountDisk, testOnDisk, unmountDisk } from "../support/small-disk";
import { deploy, operator } from "../tools/deployment";
import { printFigure } from "./figure";

testOnDisk("reads and grants survive a full disk, and deletions are complete after it", async () => {
  const disk = mountDisk(96) ?? "";
  onTestFinished(() => unmountDisk(disk));
  const data = join(disk, "data");
  await using deployment = await deploy({
    environment: { RUNTIME_DATA_DIR: data },
    parts: { openStore: (options) => openSqlite({ ...options, eraseEveryMs: 5 }) },
  });
  const { runtime } = deployment;
  await deployment.addProvider();
  await deployment.give("alice");
  for (const key of ["A", "B"]) await runtime.secrets.upsert(operator(), key, { value: `canary of ${key}` });
  const { bavail, bsize } = statfsSync(disk);
  const filler = join(disk, "filler");
  writeFileSync(filler, Buffer.alloc(bavail * bsize, 1));

  let refused = 0;
  for (let number = 0; number < 20; number++) {
    const value = "x".repeat(60_000);
    await runtime.secrets.upsert(operator(), `FULL_${number}`, { value }).catch(() => refused++);
  }
  expect(refused).toBeGreaterThan(0);
  expect(await runtime.secrets.value("default", "A")).toBe("canary of A");
  expect((await call(runtime, "alice")).success).toBe(true);

  rmSync(filler);
  await runtime.secrets.delete(operator(), "B");
  const root = readFileSync(join(deployment.folder, ".config/runtime/root.key"), "utf8");
  const open = (): string[] => {
    const raw = rawFiles(data);
    const values = valuesIn(raw, dataKeysIn(raw, [wrappingKey(root)]));
    return values.flatMap((value) => /^canary of [AB]/.exec(value)?.[0] ?? []);
  };
  while (open().includes("canary of B")) await Bun.sleep(5);
  expect(open()).toEqual(["canary of A"]);
  expect((await runtime.health()).healthy).toBe(true);
  printFigure(
    "full disk",
    `${refused} of 20 writes refused, 0 stored values lost, deletion complete afterwards`,
  );
});
