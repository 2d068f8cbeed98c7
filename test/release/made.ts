// The release that the tests look at: made once, by the command that makes releases.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const ROOT = join(import.meta.dir, "../..");
export const { version: VERSION } = (await Bun.file(join(ROOT, "package.json")).json()) as {
  version: string;
};

/** A folder for a whole file of tests. */
export function folderOfTests(): string {
  return mkdtempSync(join(tmpdir(), "runtime-release-"));
}

/** The folder of a release that exists: run.ts makes one for all files. */
export const GIVEN = "RUNTIME_TEST_RELEASE";

/** The folder of the release to test: the given one, or one that is made in `folder`. */
export async function releaseIn(folder: string): Promise<string> {
  const given = process.env[GIVEN];
  if (given !== undefined) return given;
  const release = join(folder, "release");
  await makeRelease(release);
  return release;
}

/** Makes a release of the checkout, and writes the output of the command next to it. */
export async function makeRelease(release: string): Promise<void> {
  const output = await run([process.execPath, "build/release.ts", "--uncommitted", "--out", release], ROOT);
  await Bun.write(outputOf(release), output);
}

/** The file with the output of the command that made a release. */
export function outputOf(release: string): string {
  return `${release}.output`;
}

/** The environment without what an npm that started this run tells the npms below it: some options are refused there. */
export function withoutNpmOptions(): Record<string, string | undefined> {
  const own = ([name]: [string, unknown]) => !name.toLowerCase().startsWith("npm_");
  return Object.fromEntries(Object.entries(process.env).filter(own));
}

/** What a command prints; throws if it fails. */
export async function run(
  command: string[],
  cwd: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const env = { ...withoutNpmOptions(), ...environment };
  const child = Bun.spawn(command, { cwd, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [out, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")} failed: ${errors}${out}`);
  return out;
}

/** Unpacks an archive into a new folder below `folder`, without the folder in it. */
export async function unpack(archive: string, folder: string): Promise<string> {
  const target = mkdtempSync(join(folder, "unpacked-"));
  await run(["tar", "-xzf", archive, "-C", target, "--strip-components=1"], folder);
  return target;
}

export function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
