// Every changed byte of a backup is found, and 50 backups under load contain what was acknowledged before them.
import { expect, test } from "bun:test";
import { join } from "node:path";
import { missedChanges } from "../backup/changed-bytes";
import { backUp, dataFolder } from "../backup/installation";
import { backUpUnderLoad } from "../backup/under-load";
import { scaled } from "../support/long";
import { temporaryFolder } from "../support/temporary";

test("1,000 changed bytes are found", async () => {
  const file = join(temporaryFolder(), "one.backup");
  await backUp(await dataFolder(), file);

  expect(await missedChanges(file, scaled(1000), 20270102)).toEqual([]);
}, 120_000);

test("50 backups under load", () => backUpUnderLoad(scaled(50)), 600_000);
