// docs/worker-identity.md, followed to its end: its commands in one shell, as a person types them.
import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../support/free-port";
import { temporaryFolder } from "../support/temporary";

const ROOT = join(import.meta.dir, "../..");
const PAGE = readFileSync(join(ROOT, "docs/worker-identity.md"), "utf8");
const BLOCKS = [...PAGE.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = ""]) =>
  block
    .trimEnd()
    .split("\n")
    .map((line) => line.trim()),
);

test("the page has its commands in three blocks", () => {
  expect(BLOCKS.map((lines) => lines.length)).toEqual([7, 2, 1]);
});

test("the commands of the page", async () => {
  const home = temporaryFolder();
  const [port, worker] = [String(freePort()), String(freePort())];
  const program = (name: string, command: string): void =>
    writeFileSync(join(home, "bin", name), `#!/bin/sh\nexec ${command} "$@"\n`, { mode: 0o755 });
  mkdirSync(join(home, "bin"));
  symlinkSync(join(ROOT, "examples"), join(home, "examples"));
  program("runtime", `'${process.execPath}' '${join(ROOT, "cli", "main.ts")}'`);
  program("node", `'${process.execPath}'`);
  // The packages of this checkout are there.
  program("npm", "true");
  const waits = `
    until curl -s -o /dev/null http://127.0.0.1:${port}/v1/health; do sleep 0.1; done
    until curl -s -o /dev/null http://127.0.0.1:${worker}/mcp; do sleep 0.1; done`;
  const [example = [], header = [], rotation = []] = BLOCKS;
  const create = example.findIndex((line) => line.startsWith("runtime workers create"));
  const typed = [
    ...example.slice(0, create),
    waits,
    ...example.slice(create),
    ...rotation,
    // Without its header, the worker refuses the call.
    ...header.slice(0, 1),
    "runtime tools exec Who.who --user carol || echo refused",
    ...header.slice(1),
    "kill $(jobs -p)",
  ].join("\n");
  const child = Bun.spawn(["bash", "-e", "-c", typed.replaceAll("3002", worker).replaceAll("9099", port)], {
    cwd: home,
    env: { HOME: home, PATH: `${home}/bin:${process.env["PATH"] ?? ""}`, RUNTIME_PORT: port },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: 60_000,
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  const code = await child.exited;

  expect([code, stderr.includes("error:") ? stderr : ""]).toEqual([0, ""]);
  expect(stdout).toContain("alice of default, through operator");
  expect(stdout).toContain("bob of default, through operator");
  expect(stdout).toContain("refused");
  expect(stdout).not.toContain("carol of default");
}, 60_000);
