// A person without a browser, as over SSH: the terminal shows a code, and commands act as the person until the grant ends.
import { expect } from "bun:test";
import { endAccess } from "../../src/people";
import { join } from "node:path";
import { startSignInSite } from "../people/authorization-server/site";
import { testWith } from "../support/require";
import { temporaryFolder } from "../support/temporary";

const MAIN = join(import.meta.dir, "../../cli/main.ts");
const TMUX = Bun.which("tmux") ?? undefined;

/** A terminal of 120 columns with a shell in an empty home folder. */
function startTerminal() {
  const home = temporaryFolder();
  const socket = join(home, "tmux");
  const tmux = (...words: string[]): string => {
    const ran = Bun.spawnSync([TMUX ?? "tmux", "-S", socket, ...words], {
      env: { PATH: process.env["PATH"] ?? "", HOME: home, TERM: "xterm-256color", LANG: "C.UTF-8" },
    });
    if (!ran.success) throw new Error(ran.stderr.toString());
    return ran.stdout.toString();
  };
  tmux("-f", "/dev/null", "new-session", "-d", "-x", "120", "-y", "50", "sh");
  const screen = (): string => tmux("capture-pane", "-p", "-J");
  return {
    screen,
    /** Types a line. */
    type: (line: string) => tmux("send-keys", line, "Enter"),
    /** Waits until the screen shows it. */
    shows: async (pattern: RegExp): Promise<RegExpExecArray> => {
      for (;;) {
        const found = pattern.exec(screen());
        if (found !== null) return found;
        await Bun.sleep(50);
      }
    },
    [Symbol.dispose]: () => void tmux("kill-server"),
  };
}

testWith(TMUX === undefined ? "tmux" : "", TMUX !== undefined)(
  "login --device, a tool, a revocation at the server: the next command exits 4 with one sentence",
  async () => {
    await using site = await startSignInSite();
    using terminal = startTerminal();
    terminal.type(`runtime() { "${process.execPath}" "${MAIN}" "$@"; }; clear`);
    terminal.type(`runtime login ${site.url} --device; echo "login: $?"`);
    const [, userCode = ""] = await terminal.shows(/^([A-Z]{4}-[A-Z]{4})$/m);
    const browser = await site.browser("alice");
    await browser.submit(await browser.open(`${site.url}/device?user_code=${userCode}`), "yes");
    await terminal.shows(/^login: 0$/m);
    expect(terminal.screen()).toMatch(/^user +alice$/m);

    terminal.type(`clear; runtime tools exec Test.Echo --text hello; echo "first: $?"`);
    await terminal.shows(/^first: 0$/m);
    expect(terminal.screen()).toContain("hello");

    const { store } = site.deployment.runtime.core;
    await store.write(() => endAccess("default", "alice"));
    terminal.type(`clear; runtime tools exec Test.Echo --text again; echo "second: $?"`);
    await terminal.shows(/^second: 4$/m);

    const lines = terminal.screen().split("\n");
    const from = lines.findIndex((line) => line.startsWith("error:"));
    const end = lines.findIndex((line) => line.startsWith("second:"));
    expect(lines.slice(from, end).join(" ").replaceAll(/ +/g, " ").trim()).toBe(
      `error: Your sign-in to ${site.url} has ended. Sign in again: runtime login ${site.url}`,
    );
  },
  60_000,
);
