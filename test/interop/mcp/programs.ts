// Programs that get their tokens through a browser: `mcp-remote` and opencode. The person signs in at the address that they print.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { signInAs } from "../oidc/sign-in";
import { program } from "./peers";
import type { Placed } from "./placements";

export interface McpProgram {
  name: string;
  /** Prepares the home folder, and returns the command and where it runs. */
  command(address: string, home: string): { command: string[]; folder: string };
  /** What it prints when it has connected with its token. */
  succeeds: RegExp;
}

export const programs: readonly McpProgram[] = [
  {
    name: "mcp-remote",
    command: (address, folder) => ({
      command: [
        Bun.which("node") ?? process.execPath,
        program("mcp-remote", "dist", "client.js"),
        address,
        "--allow-http",
      ],
      folder,
    }),
    succeeds: /"name": "\w+"/,
  },
  {
    name: "opencode",
    command: (url, home) => {
      const folder = join(home, "project");
      mkdirSync(folder);
      const mcp = { team: { type: "remote", url, enabled: true } };
      writeFileSync(join(folder, "opencode.json"), JSON.stringify({ mcp, autoupdate: false }));
      return { command: [program("opencode-linux-x64", "bin", "opencode"), "mcp", "auth", "team"], folder };
    },
    succeeds: /Authentication successful/,
  },
];

const TIME_MS = 60_000;
const AUTHORIZATION = /http:\/\/127\.0\.0\.1:\d+(?:\/tenant)?\/auth\?[^\s"']+/;

/** Runs a program until it has connected. Returns what it printed. */
export async function connect(
  { command: prepare, succeeds }: McpProgram,
  { address, openId }: Placed,
): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), "mcp-program-"));
  const browser = join(home, "bin");
  mkdirSync(browser);
  // No browser of the machine is opened.
  writeFileSync(join(browser, "xdg-open"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
  const { command, folder } = prepare(address, home);
  const child = Bun.spawn(command, {
    cwd: folder,
    env: { PATH: `${browser}:${process.env["PATH"] ?? ""}`, HOME: home },
    // Some end with their input.
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
    timeout: TIME_MS,
  });
  let printed = "";
  let signedIn = false;
  const read = async (stream: ReadableStream<Uint8Array>): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const bytes of stream) {
      printed += decoder.decode(bytes, { stream: true });
      const [url] = AUTHORIZATION.exec(printed) ?? [];
      if (url !== undefined && !signedIn) {
        signedIn = true;
        void signInAs(openId.provider.address, url, "alice").then(callBack);
      }
      if (succeeds.test(printed)) child.kill();
    }
  };
  try {
    await Promise.all([read(child.stdout), read(child.stderr), child.exited]);
    return printed;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** The browser returns to the program, which may still be about to listen. */
async function callBack(address: string): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const response = await fetch(address).catch(() => undefined);
    if (response !== undefined) return;
    await Bun.sleep(50);
  }
}
