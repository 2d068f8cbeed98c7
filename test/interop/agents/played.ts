// The turn of an agent, played in a network namespace.
import { join } from "node:path";
import { alone } from "./alone";
import type { Played } from "./stage";

export const PLAY_MS = 120_000;

export async function played(agent: string): Promise<Played> {
  const child = Bun.spawn(alone([process.execPath, join(import.meta.dir, "stage.ts"), agent]), {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: PLAY_MS,
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Error(stderr);
  // Checked border: our own program wrote it.
  return JSON.parse(stdout) as Played;
}
