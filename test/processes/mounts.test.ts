// Bind mounts show the same files at two paths; a hidden folder is hidden at all of them.
import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cageSupport } from "../../src/processes";
import { otherPathsOf } from "../../src/processes/mounts";
import { testIfAllowed } from "../support/require";
import { temporaryFolder } from "../support/temporary";
import { hostForTest, outcomes, probe } from "./support/programs";

const mount = (device: string, root: string, point: string): string =>
  `36 35 ${device} ${root} ${point} rw,noatime master:1 - ext4 /dev/root rw`;
const TABLE = [
  mount("8:1", "/", "/"),
  mount("8:2", "/", "/srv"),
  mount("8:1", "/opt/product/data", "/data"),
  mount("8:1", "/opt/product", "/with\\040space"),
].join("\n");

test.each([
  ["/data", ["/opt/product/data", "/with space/data"]],
  ["/data/db/file", ["/opt/product/data/db/file", "/with space/data/db/file"]],
  ["/opt/product/data", ["/data", "/with space/data"]],
  ["/opt/product", ["/data", "/with space"]],
  ["/opt/other", []],
  ["/srv/opt/product/data", []],
  ["/with space/data", ["/opt/product/data", "/data"]],
])("the other paths of %s", (path, expected) => {
  expect(otherPathsOf(path, TABLE).toSorted()).toEqual(expected.toSorted());
});

test("without a table there are no other paths", () => {
  expect(otherPathsOf("/data", "")).toEqual([]);
});

/** Whether this process may mount. */
const canMount = Bun.spawnSync(["unshare", "-m", "true"], { stderr: "ignore" }).success;
const testWithMounts = testIfAllowed("mounting", canMount && cageSupport().supported);

testWithMounts("a hidden folder cannot be read through a bind mount", async () => {
  const folder = temporaryFolder();
  const [data, other] = [join(folder, "data"), join(folder, "other")];
  const twice = join(other, "deep");
  for (const each of [data, twice]) mkdirSync(each, { recursive: true });
  writeFileSync(join(data, "root.key"), "secret");
  const mounted = Bun.spawnSync(["mount", "--bind", data, twice]).success;
  try {
    const attempts = [{ read: join(twice, "root.key") }];

    const results = await outcomes(hostForTest({ hidden: [data] }), probe(attempts, { read: [other] }));

    expect(mounted).toBe(true);
    expect(results).toEqual(["EACCES"]);
  } finally {
    Bun.spawnSync(["umount", twice]);
  }
});
