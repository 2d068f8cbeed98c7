// What a program gets from us: what its record lists, and four variables. The processes in between get nothing at all.
import { expect, onTestFinished, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Redacted } from "../../src/base";
import { found } from "../support/canaries";
import { hostForTest, outputOf, program, shell } from "./support/programs";

const FREE = { sandbox: "none" } as const;
const CANARIES = { TEST_CANARY: "canary-of-ours-1", RUNTIME_ROOT_KEY: "canary-of-ours-2" };

function withCanaries(): void {
  Object.assign(process.env, CANARIES);
  onTestFinished(() => {
    for (const name of Object.keys(CANARIES)) delete process.env[name];
  });
}

test("a program gets PATH, HOME, TMPDIR, LANG and what is listed", async () => {
  withCanaries();
  const environment = { TOKEN: new Redacted("of the user"), LANG: "de_DE.UTF-8" };
  const spec = program(["/usr/bin/env"], { ...FREE, environment });

  const text = await outputOf(await hostForTest({ path: "/usr/bin:/bin" }).start(spec));

  expect(text.trim().split("\n").toSorted()).toEqual([
    `HOME=${spec.home}`,
    "LANG=de_DE.UTF-8",
    "PATH=/usr/bin:/bin",
    `TMPDIR=${spec.home}/tmp`,
    "TOKEN=of the user",
  ]);
});

test("supervisor and watchdog have nothing of ours, and none of the programs' secrets", async () => {
  withCanaries();
  const environment = { TOKEN: new Redacted("canary-of-a-user") };
  const running = await hostForTest().start(shell("echo $PPID; exec sleep 60", { ...FREE, environment }));
  const { value } = await running.output.getReader().read();
  const supervisor = Number(new TextDecoder().decode(value));
  const watchdog = Number(/^PPid:\t(\d+)$/m.exec(fileOf(supervisor, "status"))?.[1]);

  for (const pid of [supervisor, watchdog]) {
    const seen = fileOf(pid, "environ") + fileOf(pid, "cmdline");
    expect(found({ ...CANARIES, user: "canary-of-a-user" }, seen)).toEqual([]);
  }
});

test("files of a program's home change nothing before the cage is closed", async () => {
  const spec = shell("echo started", FREE);
  mkdirSync(spec.home, { recursive: true });
  const mark = join(spec.home, "mark");
  const script = `require("fs").writeFileSync(${JSON.stringify(mark)}, "ran")`;
  writeFileSync(join(spec.home, "preload.js"), script);
  writeFileSync(join(spec.home, "bunfig.toml"), `preload = ["./preload.js"]\n`);
  writeFileSync(join(spec.home, ".env"), "BUN_OPTIONS=--preload=./preload.js\n");
  const environment = { BUN_OPTIONS: `--preload ${spec.home}/preload.js`, NODE_OPTIONS: "--no-such-option" };

  const text = await outputOf(await hostForTest().start({ ...spec, environment }));

  expect(text).toBe("started\n");
  expect(await Bun.file(mark).exists()).toBe(false);
});

function fileOf(pid: number, name: string): string {
  return readFileSync(`/proc/${pid}/${name}`, "latin1");
}
