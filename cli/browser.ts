// Opens an address in the user's browser, if there is one.
import { environmentForOthers } from "../src/base/other-programs";
import type { Environment } from "./io";

/** Returns whether a browser was started. Never fails. */
export type Opener = (address: string) => boolean;

export function openBrowser(
  address: string,
  env: Environment,
  spawn: (command: string[], env: Environment) => void = spawnDetached,
): boolean {
  const [command, url] = [commandFor(env), webAddress(address)];
  if (command === undefined || url === undefined) return false;
  try {
    spawn([command, url], env);
    return true;
  } catch {
    return false;
  }
}

/**
 * The address in its normal form, which the program that opens it cannot take for an option; undefined for other schemes
 * (`file:`, `vscode:`), which would start other programs, and for addresses with a user name, which hide the host.
 */
export function webAddress(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  return url.username === "" && url.password === "" ? url.href : undefined;
}

// Over SSH or on a build machine the user would not see the browser.
function commandFor(env: Environment): string | undefined {
  if ([env["CI"], env["SSH_CONNECTION"], env["SSH_TTY"]].some((value) => (value ?? "") !== ""))
    return undefined;
  if (process.platform === "darwin") return find("open", env);
  if ([env["DISPLAY"], env["WAYLAND_DISPLAY"]].every((value) => (value ?? "") === "")) return undefined;
  return find("xdg-open", env);
}

function find(program: string, { PATH }: Environment): string | undefined {
  return Bun.which(program, PATH === undefined ? {} : { PATH }) ?? undefined;
}

function spawnDetached(command: string[], env: Environment): void {
  const stdio = ["ignore", "ignore", "ignore"] as const;
  Bun.spawn(command, { stdio: [...stdio], env: environmentForOthers(env) }).unref();
}
