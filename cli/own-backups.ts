// The backups that a server makes by itself: each by a command of its own, so that the server is not blocked.
import { existsSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { dirname } from "node:path";
import { type MakeBackup, sweepWorkFolders } from "../src/backup";
import type { Config } from "../src/config";
import { ownExecutable } from "../src/processes";
import { EXIT } from "./errors";
import { ownCommand } from "./own-command";

/** What is kept of the error of a command. */
const EXCERPT = 2000;
/** How long a command that was told to end may take. */
const PATIENCE_MS = 5000;

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
    using _killing = killLater(child, signal);
    const [text, code] = await Promise.all([new Response(child.stderr).text(), child.exited]);
    if (code !== EXIT.ok) sweepWorkFolders([dirname(file)]);
    if (code === EXIT.ok) return true;
    if (code === EXIT.conflict || signal.aborted) return false;
    throw new Error(`runtime backup create exited with ${code}: ${text.trim().slice(-EXCERPT)}`);
  };
}

/** The command ends at the signal, but not while SQLite copies a large database. */
function killLater(child: Bun.Subprocess, signal: AbortSignal): Disposable {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const kill = (): void => {
    timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
  };
  if (signal.aborted) kill();
  else signal.addEventListener("abort", kill);
  return {
    [Symbol.dispose]: () => {
      signal.removeEventListener("abort", kill);
      clearTimeout(timer);
    },
  };
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended, or the system does not allow it.
  }
}
