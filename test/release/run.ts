// Makes one release and runs the tests of releases on it: `bun run test:release [part of a file's name]`.
import { join } from "node:path";
import { folderOfTests, GIVEN, makeRelease, remove, ROOT } from "./made";

const [part = ""] = process.argv.slice(2);
const files = [...new Bun.Glob("*.release.ts").scanSync({ cwd: import.meta.dir })]
  .filter((name) => name.includes(part))
  .sort()
  .map((name) => `./test/release/${name}`);
const folder = folderOfTests();
try {
  const release = join(folder, "release");
  await makeRelease(release);
  const child = Bun.spawn([process.execPath, "test", "--timeout", "120000", ...files], {
    cwd: ROOT,
    env: { ...process.env, [GIVEN]: release },
    stdio: ["ignore", "inherit", "inherit"],
  });
  process.exitCode = await child.exited;
} finally {
  remove(folder);
}
