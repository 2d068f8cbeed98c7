// Two builds of one commit give the same bytes, whatever the folder, the date, the locale and the user's settings are.
import { afterAll, expect } from "bun:test";
import { cpSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { RUNTIME_VERSION } from "../../build/runtimes";
import { targetOf } from "../../build/targets";
import { testWith } from "../support/require";
import { folderOfTests, remove, ROOT, run } from "./made";

const folder = folderOfTests();
afterAll(() => remove(folder));

const VARIED = "-all,+time,+timezone,+build_path,+locales,+umask,+environment,+exec_path,+home";

/** A clone with the files as they are now, and its own packages. */
async function copyOfCheckout(): Promise<string> {
  const copy = join(folder, "checkout");
  await run(["git", "clone", "--quiet", "--no-checkout", "--no-hardlinks", ROOT, copy], folder);
  const listed = await run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], ROOT);
  for (const name of listed.split("\0").filter((one) => one !== "")) {
    mkdirSync(dirname(join(copy, name)), { recursive: true });
    cpSync(join(ROOT, name), join(copy, name), { verbatimSymlinks: true });
  }
  await run([process.execPath, "install", "--frozen-lockfile"], copy);
  return copy;
}

testWith("reprotest", Bun.which("reprotest") !== null)(
  "reprotest finds no difference between two releases for one target",
  async () => {
    const copy = await copyOfCheckout();
    const { runtime } = targetOf("linux-x64");
    await run(["npm", "pack", `${runtime.name}@${RUNTIME_VERSION}`, "--prefer-offline"], folder);
    await run(["apt-get", "-qq", "update"], folder);
    await run(["apt-get", "-qq", "download", "libc6", "ca-certificates"], folder);
    const build = `${process.execPath} build/release.ts --uncommitted --only linux-x64 --runtimes ${folder} --debian ${folder} --out out`;
    const options = ["--no-diffoscope", "--min-cpus", "2", `--variations=${VARIED}`, "-c", build];
    const output = await run(["reprotest", ...options, copy, "out/*"], folder, { TMPDIR: folder });

    expect(output).toContain("Reproduction successful");
    for (const file of ["linux-x64.tar.gz", "_amd64.deb", "image-amd64.oci.tar", ".cdx.json"])
      expect(output).toContain(file);
  },
  600_000,
);
