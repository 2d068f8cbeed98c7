// Folders of programs: a removal also deletes what one that was killed has left.
import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Homes } from "../../../src/workers/stdio/homes";
import { temporaryFolder } from "../../support/temporary";

const KEY = { projectId: "default", incarnation: "first", id: "notes", createdAt: 1 };

test("what a killed removal has left is deleted by the next one, and other users stay", async () => {
  const homes = new Homes(temporaryFolder());
  const [alice, bob] = [homes.user(KEY, "alice"), homes.user(KEY, "bob")];
  for (const folder of [bob, `${alice}.removed-1`]) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "file"), "data");
  }

  await homes.removeUser(KEY, "alice");

  expect(readdirSync(dirname(bob)).map((name) => join(dirname(bob), name))).toEqual([bob]);
});
