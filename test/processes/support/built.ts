// Executables for tests: of the present sources, and of an earlier commit.
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../../..");

/** The last commit without backups. */
const EARLIER = "3e8f1bb3";
/** The newest schema of that commit. */
export const EARLIER_SCHEMA = 21;

export function buildExecutable(folder: string): string {
  return build(ROOT, join(folder, "built", "runtime"));
}

/** The executable of that commit; undefined if this checkout does not have it. */
export function buildEarlier(folder: string): string | undefined {
  const sources = join(folder, "earlier");
  mkdirSync(sources);
  const script = `git -C ${ROOT} archive ${EARLIER} | tar -x -C ${sources}`;
  const unpacked = Bun.spawnSync(["bash", "-o", "pipefail", "-c", script], { stderr: "ignore" });
  if (!unpacked.success || !existsSync(join(sources, "build.ts"))) return undefined;
  symlinkSync(join(ROOT, "node_modules"), join(sources, "node_modules"));
  return build(sources, join(folder, "built-earlier", "runtime"));
}

function build(sources: string, outfile: string): string {
  const made = Bun.spawnSync([process.execPath, "build.ts", "--outfile", outfile], { cwd: sources });
  if (!made.success) throw new Error(made.stderr.toString());
  return outfile;
}
