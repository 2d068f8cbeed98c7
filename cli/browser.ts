// Opening an address in the person's browser, where there is one.
import type { Environment } from "./io";

/** Whether a browser was asked to show the address. Never fails. */
export type Opener = (address: string) => boolean;

export function openBrowser(
  address: string,
  env: Environment,
  spawn: (command: string[]) => void = spawnDetached,
): boolean {
  const command = commandFor(env);
  if (command === undefined) return false;
  try {
    spawn([command, address]);
    return true;
  } catch {
    return false;
  }
}

// A browser on the far end of an SSH connection, or one of a build machine, is nobody's.
function commandFor(env: Environment): string | undefined {
  if ([env["CI"], env["SSH_CONNECTION"], env["SSH_TTY"]].some((value) => (value ?? "") !== ""))
    return undefined;
  if (process.platform === "darwin") return Bun.which("open") ?? undefined;
  if ([env["DISPLAY"], env["WAYLAND_DISPLAY"]].every((value) => (value ?? "") === "")) return undefined;
  return Bun.which("xdg-open") ?? undefined;
}

function spawnDetached(command: string[]): void {
  Bun.spawn(command, { stdio: ["ignore", "ignore", "ignore"] }).unref();
}
