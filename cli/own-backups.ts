// The backups that a server makes by itself: each by a command of its own, so that the server is not blocked.
import { existsSync } from "node:fs";
import { constants, setPriority } from "node:os";
import type { MakeBackup } from "../src/backup";
import type { Config } from "../src/config";
import { ownExecutable } from "../src/processes";
import { EXIT } from "./errors";
import { ownCommand } from "./own-command";

/** What is kept of the error of a command. */
const EXCERPT = 2000;

export function backupMaker(config: Config, env: Readonly<Record<string, string | undefined>>): MakeBackup {
  const place = [
    ...(config.file !== undefined && existsSync(config.file) ? ["--config", config.file] : []),
    "--data-dir",
    config.dataFolder(),
    "--server",
    "local",
  ];
  return async (file, signal) => {
    // A newer version that was installed meanwhile would upgrade the databases of this server.
    const self = process.platform === "linux" ? ownExecutable() : ownCommand();
    const command = [...self, "backup", "create", file, "-o", "name", ...place];
    const child = Bun.spawn(command, { env, stdin: "ignore", stdout: "ignore", stderr: "pipe", signal });
    lowerPriority(child.pid);
    const [text, code] = await Promise.all([new Response(child.stderr).text(), child.exited]);
    if (code === EXIT.ok) return true;
    if (code === EXIT.conflict || signal.aborted) return false;
    throw new Error(`runtime backup create exited with ${code}: ${text.trim().slice(-EXCERPT)}`);
  };
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended, or the system does not allow it.
  }
}
