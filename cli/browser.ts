// Opens an address in the user's browser, if there is one.
import type { Environment } from "./io";

/** Returns whether a browser was started. Never fails. */
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

// Over SSH or on a build machine the user would not see the browser.
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
