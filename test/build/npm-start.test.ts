// The script of the npm package: it finds the executable of the system and behaves like it.
import { expect, test } from "bun:test";
import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeMainPackage } from "../../build/npm";
import { temporaryFolder } from "../support/temporary";

const TARGET = `linux-${process.arch}`;

/** A folder with the installed main package, and a script of the shell as the executable. */
async function installed(executable: string): Promise<{ folder: string; script: string }> {
  const folder = temporaryFolder();
  const release = {
    name: "@owner/runtime",
    decided: true,
    version: "1.2.3",
    description: "described",
    licences: "licences",
    date: new Date(0),
  };
  const archive = await writeMainPackage(folder, release);
  const home = join(folder, "node_modules/@owner/runtime");
  Bun.spawnSync(["mkdir", "-p", home]);
  Bun.spawnSync(["tar", "-xzf", join(folder, archive), "-C", home, "--strip-components=1"]);
  const file = join(folder, `node_modules/@owner/runtime-${TARGET}/bin/runtime`);
  await Bun.write(file, `#!/bin/sh\n${executable}\n`);
  chmodSync(file, 0o755);
  await Bun.write(join(folder, `node_modules/@owner/runtime-${TARGET}/package.json`), "{}");
  return { folder, script: join(home, "bin/runtime.js") };
}

function start(script: string, args: string[], stdin: "ignore" | Blob = "ignore") {
  return Bun.spawn(["node", script, ...args], { stdin, stdout: "pipe", stderr: "pipe" });
}

test("passes arguments, input, output and the exit code on", async () => {
  const { script } = await installed('printf "%s|" "$@"; cat; echo problem >&2; exit 7');
  const child = start(script, ["tools", "two words", "", "--x=$HOME"], new Blob(["input"]));

  expect(await child.stdout.text()).toBe("tools|two words||--x=$HOME|input");
  expect(await child.stderr.text()).toBe("problem\n");
  expect(await child.exited).toBe(7);
});

test.each(["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR2"] as const)(
  "passes %s on, and waits until the executable has stopped",
  async (signal) => {
    // Not a shell: it cannot handle a signal that its parent ignores.
    const handler = `process.on("${signal}", () => { console.log("got it"); process.exit(3); })`;
    const { script } = await installed(
      `exec node -e '${handler}; setInterval(() => {}, 1000); console.log("ready")'`,
    );
    const child = start(script, []);
    let output = "";
    for await (const chunk of child.stdout) {
      output += new TextDecoder().decode(chunk);
      if (output === "ready\n") child.kill(signal);
    }

    expect(output).toBe("ready\ngot it\n");
    expect(await child.exited).toBe(3);
  },
);

test("ends by the signal that ended the executable", async () => {
  const { script } = await installed("kill -KILL $$");
  const child = start(script, []);
  await child.exited;

  expect(child.signalCode).toBe("SIGKILL");
});

test("says which package is missing, and how to install it", async () => {
  const { folder, script } = await installed("exit 0");
  rmSync(join(folder, `node_modules/@owner/runtime-${TARGET}`), { recursive: true });
  const child = start(script, []);

  expect(await child.stderr.text()).toBe(
    `The package @owner/runtime-${TARGET} is missing; it is an optional dependency of @owner/runtime. Install it with: npm install @owner/runtime-${TARGET}@1.2.3\n`,
  );
  expect(await child.exited).toBe(1);
});

test.each([
  ["another system", { platform: "aix", arch: "ppc64" }, "aix-ppc64"],
  ["another processor", { platform: "linux", arch: "riscv64" }, "linux-riscv64"],
])("says that there is no executable for %s", async (_what, { platform, arch }, target) => {
  const { folder, script } = await installed("exit 0");
  const preload = join(folder, "system.cjs");
  await Bun.write(
    preload,
    `Object.defineProperty(process, "platform", { value: "${platform}" });
     Object.defineProperty(process, "arch", { value: "${arch}" });`,
  );
  const child = Bun.spawn(["node", "--require", preload, script], { stdout: "pipe", stderr: "pipe" });

  expect(await child.stderr.text()).toBe(
    `@owner/runtime does not run on ${target}. It runs on: linux-x64, linux-arm64, linux-x64-musl, linux-arm64-musl, darwin-arm64, darwin-x64.\n`,
  );
  expect(await child.exited).toBe(1);
});

test("looks for the executable for musl where Node was built for it", async () => {
  const { folder, script } = await installed("exit 0");
  const preload = join(folder, "musl.cjs");
  await Bun.write(preload, "process.report.getReport = () => ({ header: {} });");
  const child = Bun.spawn(["node", "--require", preload, script], { stdout: "pipe", stderr: "pipe" });

  expect(await child.stderr.text()).toContain(`The package @owner/runtime-${TARGET}-musl is missing`);
});
