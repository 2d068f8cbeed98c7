// Keys are rotated while a server works: no call fails, and afterwards the old keys open nothing.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Installation } from "../support/runtime-process";
import { api } from "../support/api";
import { dataKeysIn, rawFiles, wrappingKey } from "../support/raw-files";
import { printFigure } from "./figure";

const WRITERS = 4;
const ROTATIONS = 3;

test("no call fails during rotations, and old root keys open nothing in the files", async () => {
  await using installation = new Installation(undefined);
  const admin = await installation.key("admin");
  const keyFile = join(installation.home, ".config/runtime/root.key");
  const old: string[] = [];
  const failed: number[] = [];
  let calls = 0;
  await using server = await installation.serve();
  let stop = false;
  const load = Array.from({ length: WRITERS }, async (_, writer) => {
    for (let round = 0; !stop; round++) {
      const { status } = await api(server.address, admin).post(`/v1/admin/secrets/S${writer}_${round % 20}`, {
        value: `value ${round}`,
      });
      calls++;
      if (status !== 200) failed.push(status);
    }
  });
  for (let rotation = 0; rotation < ROTATIONS; rotation++) {
    old.push(readFileSync(keyFile, "utf8"));
    await installation.json(["keys", "rotate-data"]);
    await installation.json(["keys", "rotate-root", "--yes"]);
  }
  stop = true;
  await Promise.all(load);
  await server[Symbol.asyncDispose]();

  expect([failed, calls > WRITERS * ROTATIONS]).toEqual([[], true]);
  const raw = rawFiles(join(installation.home, ".local/share/runtime"));
  expect(dataKeysIn(raw, old.map(wrappingKey))).toEqual([]);
  expect(dataKeysIn(raw, [wrappingKey(readFileSync(keyFile, "utf8"))]).length).toBeGreaterThan(0);
  printFigure("rotation under load", `${calls} calls, 0 failed, 3 old root keys open 0 data keys`);
}, 60_000);
