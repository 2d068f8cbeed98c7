// The watchdog: the parent of the supervisor. If the supervisor is killed, its programs become children of the watchdog,
// which kills them. It has another name than the server, so that a signal to all processes of that name does not meet both.
import { roleCommand } from "./plan";
import { killOrphans } from "./reaper";
import { becomeGuard, SOCKET_DESCRIPTOR } from "./supervisor";

/** Open as long as the server lives. */
export const LIFE_DESCRIPTOR = 4;

const SUPERVISOR_ENDS_MS = 2_000;
const REAPING_MS = 10_000;

/** Runs until the supervisor or the server has ended, and nothing of it is left. */
export async function watchOver(executable: readonly string[]): Promise<void> {
  becomeGuard("watchdog");
  const { cmd, argv0 } = roleCommand(executable, "process-supervisor");
  const supervisor = Bun.spawn(cmd, {
    argv0,
    cwd: "/",
    env: {},
    stdio: ["inherit", "inherit", "inherit", SOCKET_DESCRIPTOR],
  });
  await Promise.race([supervisor.exited, endOfServer()]);
  // It sees the end of the server too, and ends the programs itself.
  await Promise.race([supervisor.exited, Bun.sleep(SUPERVISOR_ENDS_MS)]);
  supervisor.kill("SIGKILL");
  await supervisor.exited;
  await killOrphans((pid) => pid === supervisor.pid, REAPING_MS);
}

async function endOfServer(): Promise<void> {
  for await (const _ of Bun.file(LIFE_DESCRIPTOR).stream());
}
