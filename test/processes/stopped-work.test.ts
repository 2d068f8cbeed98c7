// A process that is stopped (SIGSTOP) at each step of a refresh and of a scheduled run, until another process has gone on
// without it. All clocks are real, so the steps are tried at the same time.
import { expect, test } from "bun:test";
import { join } from "node:path";
import { systemClock } from "../../src/base";
import type { Runtime } from "../../src/runtime";
import { query, run as runStatement, touch } from "../../src/store";
import { call, connectionOf } from "../connections/executing";
import { startChild } from "../support/child";
import { temporaryFolder } from "../support/temporary";
import { RotatingGrants } from "../support/token-endpoint";
import { sendOnce } from "../tools/catalog";
import { deploy, type Deployment } from "../tools/deployment";
import { look, schedule } from "../tools/schedule/scheduling";

const SCRIPT = join(import.meta.dir, "..", "support", "stopping-work.ts");
/** Longer than a process must be silent before another one takes over. */
const TAKEN_OVER_MS = 40_000;
const EXPIRE = query("UPDATE connections SET expires_at = 1, refresh_at = 1, version = version + 1");

interface Stopped {
  deployment: Deployment;
  /** The step at which it stopped; undefined: the work has fewer steps. */
  at: string | undefined;
  /** Lets it go on, and waits for its end. */
  goOn(): Promise<void>;
}

/** Starts a process that stops at a step of its work. `prepare` makes the work. */
async function stopAt(
  work: "refresh" | "run",
  step: number,
  prepare: (deployment: Deployment) => Promise<void>,
): Promise<Stopped & { steps: number }> {
  const home = temporaryFolder();
  const environment = { RUNTIME_DATA_DIR: join(home, "data"), HOME: home };
  const deployment = await deploy({ environment, parts: { clock: systemClock } });
  await prepare(deployment);
  const given = {
    ...environment,
    RUNTIME_EGRESS_ALLOW: "loopback",
    RUNTIME_CHAT_API_URL: deployment.platform.url,
  };
  const child = startChild(SCRIPT, JSON.stringify(given), work, String(step));
  const pid = Number((await child.line())?.split(" ")[1]);
  child.go();
  const [word, ...rest] = (await child.line())?.split(" ") ?? [];
  const goOn = async (): Promise<void> => {
    // It says that it stops just before it does; a signal to go on that comes in between is lost.
    const again = setInterval(() => process.kill(pid, "SIGCONT"), 200);
    await child.line();
    clearInterval(again);
  };
  const isStopped = word === "step";
  return {
    deployment,
    at: isStopped ? rest.join(" ") : undefined,
    goOn,
    steps: isStopped ? step : Number(rest[0]),
  };
}

/** Tries all steps of the work at the same time. Returns what `tried` has found at each, by the name of the step. */
async function atEachStep(
  work: "refresh" | "run",
  prepare: (deployment: Deployment) => Promise<void>,
  tried: (stopped: Stopped) => Promise<string>,
): Promise<Record<string, string>> {
  const whole = await stopAt(work, 0, prepare);
  await whole.deployment[Symbol.asyncDispose]();
  const steps = Array.from({ length: whole.steps }, (_, index) => index + 1);
  const found = await Promise.all(
    steps.map(async (step) => {
      const stopped = await stopAt(work, step, prepare);
      await using _ = stopped.deployment;
      return [`${step} ${stopped.at}`, await tried(stopped)] as const;
    }),
  );
  return Object.fromEntries(found);
}

async function untilOr(ms: number, holds: () => Promise<boolean>): Promise<boolean> {
  const end = performance.now() + ms;
  while (performance.now() < end) {
    if (await holds()) return true;
    await Bun.sleep(200);
  }
  return false;
}

function expire({ core: { store } }: Runtime): Promise<void> {
  return store.write(function* () {
    yield* runStatement(EXPIRE);
    yield* touch("connections");
  });
}

test("at each step of a refresh, the newest tokens end stored", async () => {
  const all = new Map<Deployment, RotatingGrants>();
  const prepare = async (deployment: Deployment): Promise<void> => {
    const grants = new RotatingGrants({ expiresIn: 3600 });
    all.set(deployment, grants);
    await deployment.addProvider();
    deployment.idp.otherwise(grants.answer);
    await deployment.give("alice", grants.issue("alice"));
    await expire(deployment.runtime);
  };
  const found = await atEachStep("refresh", prepare, async ({ deployment: { runtime }, goOn }) => {
    // The other process refreshes, or is refused because the stopped one has.
    await untilOr(TAKEN_OVER_MS, async () => {
      const answer = await call(runtime, "alice").catch(() => "refused" as const);
      return answer === "refused" || answer.success;
    });
    await goOn();
    const isActive = await untilOr(
      10_000,
      async () => (await connectionOf(runtime, "alice"))?.connection_status === "active",
    );
    await expire(runtime);
    const again = await call(runtime, "alice").catch(() => undefined);
    return isActive && again?.success === true ? "kept" : "lost";
  });

  expect(Object.keys(found).length).toBeGreaterThanOrEqual(6);
  expect(Object.entries(found).filter(([, outcome]) => outcome !== "kept")).toEqual([]);
}, 120_000);

test("at each step of a scheduled run, it has one effect at most, and none after its end", async () => {
  const ids = new Map<Deployment, string>();
  const prepare = async (deployment: Deployment): Promise<void> => {
    deployment.test.act = sendOnce;
    ids.set(deployment, await schedule(deployment.runtime));
  };
  const found = await atEachStep("run", prepare, async ({ deployment, goOn }) => {
    const { runtime, platform } = deployment;
    const id = ids.get(deployment) ?? "";
    const worker = runtime.tools.startWorker();
    const hasEnded = async (): Promise<boolean> => (await look(runtime, id)).finished_at !== undefined;
    const isEnded = await untilOr(TAKEN_OVER_MS, hasEnded);
    const before = platform.calls.length;
    await goOn();
    await worker.stop();
    const after = platform.calls.length;
    if (!isEnded) return "did not end";
    return before <= 1 && after === before ? "right" : `${before} effects, later ${after}`;
  });

  expect(Object.keys(found).length).toBeGreaterThanOrEqual(6);
  expect(Object.entries(found).filter(([, outcome]) => outcome !== "right")).toEqual([]);
}, 120_000);
