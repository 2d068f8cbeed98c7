// The load generator: a process that reads jobs from standard input and answers each with its measurements.
import { percentile } from "../figures";
import { processorTime } from "../system";
import { type Exchanges, exchange } from "./connection";
import type { Job, Measured, Outcome } from "./job";

/** The maximum of stored latencies of one round; at 400,000 answers per second, ten seconds. */
const MAX_LATENCIES = 4_000_000;
const latencies = new Float64Array(MAX_LATENCIES);

async function perform(job: Job): Promise<Measured> {
  const requests = job.requests.map((text) => Buffer.from(text));
  let turn = 0;
  let answers = 0;
  let measuring = false;
  let over = false;
  const exchanges: Exchanges = {
    job,
    next: () => (over ? undefined : requests[turn++ % requests.length]),
    answered: (ms) => {
      if (!measuring) return;
      if (answers < MAX_LATENCIES) latencies[answers] = ms;
      answers++;
    },
  };
  const connections = Array.from({ length: job.connections }, () => exchange(exchanges));
  const failure = Promise.all(connections);
  const poll = (): void => {
    if (!over) setImmediate(poll);
  };
  if (job.polls) poll();
  let begin: Usage;
  let end: Usage;
  try {
    // A failure ends the wait immediately.
    await Promise.race([Bun.sleep(job.warmupMs), failure]);
    begin = usage(job.pid);
    measuring = true;
    await Promise.race([Bun.sleep(job.measureMs), failure]);
    measuring = false;
    end = usage(job.pid);
  } finally {
    over = true;
    await Promise.allSettled(connections);
  }
  await failure;
  const seconds = end.at - begin.at;
  const sorted = latencies.slice(0, Math.min(answers, MAX_LATENCIES)).sort();
  return {
    answers,
    rate: answers / seconds,
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    serverMicros: ((end.server - begin.server) * 1e6) / answers,
    serverBusy: (end.server - begin.server) / seconds,
    generatorBusy: (end.own - begin.own) / seconds,
  };
}

interface Usage {
  at: number;
  server: number;
  own: number;
}

/** Seconds of the clock and of processor time. */
function usage(pid: number): Usage {
  const { user, system } = process.cpuUsage();
  return { at: performance.now() / 1000, server: processorTime(pid), own: (user + system) / 1e6 };
}

async function answer(line: string): Promise<Outcome> {
  try {
    const job: Job = JSON.parse(line);
    return { measured: await perform(job) };
  } catch (error) {
    return { failed: error instanceof Error ? error.message : String(error) };
  }
}

process.stdout.write("ready\n");
for await (const line of console) process.stdout.write(`${JSON.stringify(await answer(line))}\n`);
