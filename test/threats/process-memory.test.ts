// The root key and tokens are in clear in the memory of a process. Other processes of the same user cannot read it, and a
// crash leaves no core dump (prctl(2), PR_SET_DUMPABLE).
import { expect, onTestFinished, test } from "bun:test";
import { chmodSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { MAIN } from "../cli/support/processes";
import { testIfAllowed } from "../support/require";
import { temporaryFolder } from "../support/temporary";
import { printFigure } from "./figure";

const USER = 65534;
/** As another user, because root may read every process. */
const AS_USER = ["setpriv", `--reuid=${USER}`, `--regid=${USER}`, "--clear-groups"];
const canSwitch = Bun.spawnSync([...AS_USER, "true"]).exitCode === 0;
const testAsUser = testIfAllowed("running as another user (setpriv)", canSwitch && process.getuid?.() === 0);

/** A process of the user that has printed its first line. */
async function started(command: string[], home: string): Promise<number> {
  const child = Bun.spawn([...AS_USER, ...command], {
    env: { PATH: process.env["PATH"] ?? "", HOME: home },
    cwd: home,
    stdout: "pipe",
    stderr: "pipe",
  });
  onTestFinished(() => child.kill("SIGKILL"));
  const stream = command.includes("serve") ? child.stderr : child.stdout;
  const { value } = await stream.getReader().read();
  expect(new TextDecoder().decode(value)).toMatch(/^(ready|http:)/);
  return child.pid;
}

/** Whether another process of the same user can open the memory of this one. */
function isReadable(pid: number): boolean {
  const read = `: < /proc/${pid}/environ && : < /proc/${pid}/mem`;
  return Bun.spawnSync([...AS_USER, "sh", "-c", read]).exitCode === 0;
}

testAsUser("the memory of a server cannot be read by its user", async () => {
  const home = join(temporaryFolder(), "home");
  mkdirSync(home);
  chmodSync(join(home, ".."), 0o755);
  chmodSync(home, 0o777);
  const engine = join(home, "engine");
  await Bun.write(engine, Bun.file(process.execPath));
  chmodSync(engine, 0o755);
  // The sources may be in a folder that the user cannot read.
  const built = Bun.spawnSync([process.execPath, "build", MAIN, "--target", "bun", "--outdir", home]);
  expect(built.exitCode).toBe(0);
  const other = await started([engine, "-e", "console.log('ready'); setTimeout(() => {}, 60000)"], home);
  const server = await started([engine, join(home, "main.js"), "serve", "--port", "0"], home);
  expect([isReadable(other), isReadable(server)]).toEqual([true, false]);
  printFigure("memory of a process", "readable by the same user: before true, now false");
});

test("the page of operations names the limit for core dumps", () => {
  const page = readFileSync(join(import.meta.dir, "../../docs/threats.md"), "utf8");
  expect(page).toContain("LimitCORE=0");
});
