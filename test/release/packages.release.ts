// The packages for whole systems: of Debian, images for containers, and the executable for arm64.
import { afterAll, beforeAll } from "bun:test";
import { join } from "node:path";
import { arm64Tests } from "./arm64";
import { debianTests } from "./debian";
import { imageTests } from "./image";
import { folderOfTests, makeRelease, remove } from "./made";

const folder = folderOfTests();
const release = process.env["RUNTIME_TEST_RELEASE"] ?? join(folder, "release");

beforeAll(async () => {
  if (release.startsWith(folder)) await makeRelease(release, "--only", "linux-x64", "--only", "linux-arm64");
}, 600_000);
afterAll(() => remove(folder));

debianTests(release, () => folder);
imageTests(release, () => folder);
arm64Tests(release, () => folder);
