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

/** Makes a release of the checkout in `folder`. Throws with the output of the command. */
export async function makeRelease(folder: string, ...options: string[]): Promise<string> {
  const command = [process.execPath, "build/release.ts", "--uncommitted", "--out", folder, ...options];
  return run(command, ROOT);
}

/** What a command prints; throws if it fails. */
export async function run(
  command: string[],
  cwd: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const env = { ...process.env, ...environment };
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
