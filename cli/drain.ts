// Stops a server: it takes no more connections, what is running may finish within `shutdown.timeout`, and the log says what
// is still running.
import { WORK_KINDS, type WorkCounts } from "../src/base";
import type { Core } from "../src/core";

/** How often the log says what is still running. */
const PROGRESS_MS = 3000;
/** After the cut: what was cut off still writes its end to the execution log. */
const SETTLE_MS = 1000;

/** A server, as `server/index.ts` describes it. */
interface Stoppable {
  stop(): Promise<void>;
  cut(): void;
}

/**
 * Goes on for `shutdown.delay`: a load balancer sends requests until its next look at `/readyz`, and a closed port would
 * refuse them. `report` gets a line about it.
 */
export async function untilNoticed(
  { log, clock, settings }: Core,
  report: (line: string) => void,
): Promise<void> {
  const seconds = settings["shutdown.delay"];
  if (seconds === 0) return;
  log.info("not ready any more; requests are still taken for shutdown.delay", { seconds });
  report(`Stopping: requests are still taken for ${seconds} s`);
  await clock.sleep(seconds * 1000);
}

/**
 * Resolves when nothing runs any more, or when what was still running has been cut off: then to its counts. `report` gets a
 * line about what is still running.
 */
export async function drain(
  core: Core,
  server: Stoppable,
  report: (line: string) => void,
): Promise<WorkCounts | undefined> {
  const { log, work, clock, settings } = core;
  const limit = settings["shutdown.timeout"];
  const started = clock.monotonic();
  const ended = server.stop().then(() => true);
  const progress = setInterval(() => {
    log.info("still stopping", { seconds_left: left(), ...work.counts });
    report(`Stopping: ${inWords(work.counts)}, ${left()} s left`);
  }, PROGRESS_MS);
  const left = (): number => Math.max(0, Math.ceil(limit - (clock.monotonic() - started) / 1000));
  const isDone = await within(limit * 1000, ended);
  clearInterval(progress);
  if (isDone) {
    log.info("stopped", { seconds: Math.round((clock.monotonic() - started) / 1000) });
    return undefined;
  }
  const cut = work.counts;
  log.warn("stopped after shutdown.timeout: what was still running is cut off", { seconds: limit, ...cut });
  server.cut();
  await within(SETTLE_MS, ended);
  return WORK_KINDS.some((kind) => cut[kind] > 0) ? cut : undefined;
}

function inWords(counts: WorkCounts): string {
  const running = WORK_KINDS.filter((kind) => counts[kind] > 0);
  return running.map((kind) => `${kind.replace("_", " ")}: ${counts[kind]}`).join(", ") || "nothing runs";
}

async function within(ms: number, ended: Promise<boolean>): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), ms);
  const isDone = await Promise.race([ended, late.promise]);
  clearTimeout(timer);
  return isDone;
}
