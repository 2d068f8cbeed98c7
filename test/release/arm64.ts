// The executable for arm64, run by an emulator with the C library of that architecture.
import { afterAll, beforeAll, expect } from "bun:test";
import { existsSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { testWith } from "../support/require";
import { run, unpack, VERSION } from "./made";

const EMULATOR = "qemu-aarch64-static";
const LIBRARY = "/usr/aarch64-linux-gnu";
const canRun = Bun.which(EMULATOR) !== null && existsSync(join(LIBRARY, "lib/ld-linux-aarch64.so.1"));
const LIMIT_MS = 180_000;

export function arm64Tests(release: string, scratch: () => string): void {
  let executable = "";
  const started: Bun.Subprocess[] = [];
  const emulated = testWith("qemu-user-static and libc6-arm64-cross", canRun);
  const environmentOf = (home: string): Record<string, string> => ({
    HOME: home,
    PATH: "",
    QEMU_LD_PREFIX: LIBRARY,
  });
  const home = (): string => mkdtempSync(join(scratch(), "home-"));

  /** Starts a server; resolves to its address, and to the text of its standard output. */
  const start = async (
    folder: string,
    ...words: string[]
  ): Promise<{ address: string; stop(): Promise<number> }> => {
    const command = [Bun.which(EMULATOR) ?? "", executable, ...words, "--port", "0"];
    const child = Bun.spawn(command, {
      env: environmentOf(folder),
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
    });
    started.push(child);
    let text = "";
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    void (async () => {
      for await (const bytes of child.stderr) {
        text += new TextDecoder().decode(bytes);
        if (text.includes("\n")) resolve(text.slice(0, text.indexOf("\n")));
      }
      reject(new Error(text));
    })();
    const address = await promise;
    return {
      address,
      stop: () => {
        child.kill("SIGTERM");
        return child.exited;
      },
    };
  };

  beforeAll(async () => {
    const folder = await unpack(join(release, `runtime-${VERSION}-linux-arm64.tar.gz`), scratch());
    executable = join(folder, "runtime");
  });
  afterAll(() => started.forEach((child) => child.kill("SIGKILL")));

  emulated(
    "prints its version and platform",
    async () => {
      const output = await run([EMULATOR, executable, "version", "-o", "json"], "/", environmentOf(home()));

      expect(JSON.parse(output)).toMatchObject({ version: VERSION, platform: "linux-arm64" });
    },
    LIMIT_MS,
  );

  emulated(
    "serves, answers, and stops cleanly",
    async () => {
      const server = await start(home(), "serve");

      const health = await fetch(`${server.address}/v1/health`);
      expect(await health.json()).toEqual({ healthy: true });
      expect(await server.stop()).toBe(0);
    },
    LIMIT_MS,
  );

  emulated(
    "starts the sandbox, in which a tool runs",
    async () => {
      const folder = home();
      const { address, stop } = await start(folder, "sandbox");
      const words = ["tools", "exec", "Chat.SendMessage", "--user", "alice", "--channel_name", "general"];
      const config = join(folder, ".local/state/runtime/sandbox/runtime.yaml");

      const sent = await run(
        [EMULATOR, executable, ...words, "--message", "hello", "--config", config],
        "/",
        environmentOf(folder),
      );

      expect(sent).toContain("hello");
      expect((await fetch(`${address}/v1/health`)).status).toBe(200);
      await stop();
    },
    LIMIT_MS,
  );
}
