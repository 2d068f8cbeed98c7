// Debian's Chromium, as tests start it.
import { type Browser, chromium } from "playwright-core";
import { CHROMIUM } from "./require";

/** Without its sandbox, which does not run as root, and without requests of its own. */
const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export function launchChromium(more: readonly string[] = []): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: [...ARGUMENTS, ...more] });
}
