// However a program, its supervisor or the server ends, nothing that was started is left.
import { expect, onTestFinished, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ProcessSpec } from "../../src/processes";
import { Growth } from "../../src/processes/growth";
import { scaled } from "../support/long";
import { printFigure } from "../threats/figure";
import { marked, newMark, within5Seconds } from "./support/left";
import { EXECUTABLE, hostForTest, outputOf, shell } from "./support/programs";

const HOSTING = join(import.meta.dir, "support/hosting.ts");
/** Not caged, so that these tests also run where the kernel has no cage. */
const FREE = { sandbox: "none" } as const;
/** Everything that survives when only the program itself is killed. */
const FAMILY = [
  "sleep 61 &",
  "setsid sleep 62 &",
  "setsid sh -c 'trap : TERM HUP INT; sleep 63 & while :; do wait; sleep 64; done' &",
  "sh -c 'sleep 65 & sleep 66'",
].join("\n");
const MEMBERS = 8;

function parentOf(pid: number): number {
  return Number(/^PPid:\t(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}

/** A server process with programs. */
async function serverWith(specs: readonly ProcessSpec[]) {
  const command = [process.execPath, HOSTING, JSON.stringify(EXECUTABLE), JSON.stringify(specs)];
  const server = Bun.spawn(command, { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => server.kill("SIGKILL"));
  const { value } = await server.stdout.getReader().read();
  // The ids that the script prints.
  const [program = 0] = JSON.parse(new TextDecoder().decode(value)) as number[];
  return { server: server.pid, program };
}

function guardsOf({ server, program }: { server: number; program: number }) {
  const supervisor = parentOf(program);
  return { server, supervisor, watchdog: parentOf(supervisor) };
}

type Pids = ReturnType<typeof guardsOf>;
const KILLED: Readonly<Record<string, (pids: Pids) => number[]>> = {
  "the server": ({ server }) => [server],
  "the supervisor": ({ supervisor }) => [supervisor],
  "the watchdog": ({ watchdog }) => [watchdog],
  "the server and the supervisor": ({ server, supervisor }) => [server, supervisor],
  "the server and the watchdog": ({ server, watchdog }) => [server, watchdog],
};

/** One that has ended already, because of the one before, is not missed. */
function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

test.each(Object.keys(KILLED))("nothing is left when %s is killed", async (who) => {
  const mark = newMark();
  const pids = guardsOf(await serverWith([shell(FAMILY, { ...FREE, environment: mark })]));
  const all = (): boolean => marked(mark).length === MEMBERS;
  expect(await within5Seconds(all)).toBe(true);

  for (const pid of KILLED[who]?.(pids) ?? []) kill(pid);

  expect(await within5Seconds(() => marked(mark).length === 0)).toBe(true);
  const guards = [pids.supervisor, pids.watchdog];
  expect(await within5Seconds(() => !guards.some(isAlive))).toBe(true);
});

test("a signal to all processes of the server's name does not meet the watchdog and the supervisor", async () => {
  const { supervisor, watchdog } = guardsOf(await serverWith([shell("exec sleep 60", FREE)]));
  const name = (pid: number): string => readFileSync(`/proc/${pid}/comm`, "utf8").trim();

  expect([name(supervisor), name(watchdog)]).toEqual(["supervisor", "watchdog"]);
});

test("a process that left the session and its parent is found while the program runs", async () => {
  const mark = newMark();
  const script = "(setsid sleep 60 &); exec sleep 61";
  const running = await hostForTest().start(shell(script, { ...FREE, environment: mark }));
  expect(await within5Seconds(() => marked(mark).length === 2)).toBe(true);

  const alone = await within5Seconds(() => marked(mark).length === 1);

  expect(alone).toBe(true);
  expect(marked(mark)).toEqual([running.pid]);
});

test("a child in a session of its own is not touched while its parent runs", async () => {
  const mark = newMark();
  const script = "setsid sleep 60 & sleep 3; kill -0 $! && echo alive";
  const running = await hostForTest().start(shell(script, { ...FREE, environment: mark }));

  expect(await outputOf(running)).toBe("alive\n");
  await running.ended;
  expect(marked(mark)).toEqual([]);
});

test("the end of a program is told when nothing of it is left", async () => {
  const mark = newMark();
  const running = await hostForTest().start(shell(FAMILY, { ...FREE, environment: mark }));
  const last = await within5Seconds(() => marked(mark).length === MEMBERS);
  process.kill(running.pid, "SIGKILL");

  const end = await running.ended;

  expect(last).toBe(true);
  expect(end).toEqual({ code: null, signal: "SIGKILL" });
  expect(marked(mark)).toEqual([]);
});

test("a program that ignores the request to end is killed with everything that it started", async () => {
  const mark = newMark();
  const script = "trap : TERM; setsid sleep 60 & while :; do sleep 61; done";
  const running = await hostForTest().start(shell(script, { ...FREE, environment: mark }));
  expect(await within5Seconds(() => marked(mark).length >= 3)).toBe(true);

  await running.end();

  expect(marked(mark)).toEqual([]);
});

test("a program that was asked to end may finish its work, and so may its children", async () => {
  const home = shell("").home;
  const script = `sh -c 'trap "sleep 1; echo done > $HOME/done; exit" TERM; sleep 60 & wait' & echo up; wait`;
  const running = await hostForTest().start(shell(script, { ...FREE, home }));
  await running.output.getReader().read();
  await Bun.sleep(200);

  await running.end();

  expect(readFileSync(join(home, "done"), "utf8")).toBe("done\n");
});

test("a program that starts others without end is stopped", async () => {
  const mark = newMark();
  const limits = { processes: 20 };
  const script = "while :; do sleep 60 & sleep 0.02; done";
  const running = await hostForTest().start(shell(script, { ...FREE, environment: mark, limits }));

  const end = await running.ended;

  expect(end.reason).toBe("It ran more than 20 processes at the same time.");
  expect(marked(mark)).toEqual([]);
}, 20_000);

test("a sudden growth is measured at once", () => {
  const growth = new Growth();
  const children = Array.from({ length: 150 }, () => Bun.spawn(["sleep", "60"]));
  const noticed = growth.noticed();
  for (const child of children) child.kill("SIGKILL");

  expect(noticed).toBe(true);
  expect(growth.noticed()).toBe(false);
});

test("starts, crashes and killed servers leave no process", async () => {
  const rounds = scaled(200);
  const mark = newMark();
  const host = hostForTest();
  const scripts = [
    "exit 0",
    "exit 1",
    "kill -SEGV $$",
    "setsid sleep 60 & exit 0",
    "(setsid sleep 60 &); exec sleep 61",
  ];
  const specOf = (round: number) =>
    shell(scripts[round % scripts.length] ?? "", { ...FREE, environment: mark });

  for (let round = 0; round < rounds; round += 10) {
    const specs = Array.from({ length: 5 }, (_, index) => specOf(round + index));
    const { server } = await serverWith(specs);
    process.kill(server, "SIGKILL");
    const running = await Promise.all(specs.map((spec) => host.start(spec)));
    await Promise.all(running.map((each, index) => (index === 4 ? each.end() : each.ended)));
  }

  expect(await within5Seconds(() => marked(mark).length === 0)).toBe(true);
  printFigure(
    "programs left behind",
    `${rounds} starts, crashes and killed servers: 0 processes left after 5 s`,
  );
}, 120_000);

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
