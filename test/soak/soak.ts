// Runs the load, pauses it at regular times to measure what is left, and compares two windows.
import { loadOf, type Work } from "./load";
import { type Figure, grown, type Sample, sample, typical, windowsOf } from "./samples";
import { startSoakSite } from "./site";
import { worksOf } from "./works";

/** How much more the later window may have than the earlier one. Idle connections of clients come and go. */
const BOUNDS: Readonly<Record<Figure, number>> = {
  memory: 8,
  heap: 2,
  descriptors: 5,
  processes: 0,
  threads: 2,
};

/**
 * In a short run the windows are in the first minutes, in which the engine still compiles what it runs: measured were 13 MB and
 * 6 MB. What is left is a bound for leaks of 100 KB a second, and for everything that is counted.
 */
const SHORT: Readonly<Record<Figure, number>> = { ...BOUNDS, memory: 24, heap: 12 };
const WHOLE_SECONDS = 1800;

export interface SoakResult {
  /** Answers that were not expected, every 5xx among them. */
  faults: string[];
  /** Kinds of work that were never done. */
  unusedKinds: string[];
  /** Figures beyond their bounds. */
  grown: string[];
  /** For a person. */
  sentences: string[];
}

export async function soak(seconds: number): Promise<SoakResult> {
  await using site = await startSoakSite();
  const works = worksOf(site);
  const load = loadOf(works);
  // Thirty pauses or more: at least five in each window.
  const interval = Math.min(20, seconds / 36);
  const samples: Sample[] = [];
  let refreshes = 0;
  while (samples.length * interval < seconds) {
    await load.forMs(interval * 1000);
    refreshes += site.chat.calls("refresh");
    site.chat.clearRequests();
    const at = (samples.length + 1) * interval;
    samples.push(await sample(site.server.pid, site.measures, at, samples.length));
    process.stderr.write(`${lineOf(samples.at(-1))}\n`);
  }
  const { early, late } = windowsOf(samples, seconds);
  const figures = Object.keys(BOUNDS) as Figure[];
  const compared = figures.map((figure) => ({
    figure,
    before: typical(early, figure),
    after: typical(late, figure),
    bound: (seconds < WHOLE_SECONDS ? SHORT : BOUNDS)[figure],
  }));
  return {
    faults: load.faults,
    unusedKinds: Object.entries({ ...noneOf(works), ...load.done, refresh: refreshes })
      .filter(([, count]) => count === 0)
      .map(([name]) => name),
    grown: compared
      .filter(({ before, after, bound }) => !(after - before <= bound))
      .map(({ figure, before, after }) => `${figure}: ${before.toFixed(1)} to ${after.toFixed(1)}`),
    sentences: [
      ...compared.map(
        ({ figure, before, after }) => `${figure}: ${before.toFixed(1)} to ${after.toFixed(1)}`,
      ),
      `objects: ${grown(early, late)
        .map(([type, more]) => `${type} +${more}`)
        .join(", ")}`,
      `done: ${JSON.stringify({ ...load.done, refresh: refreshes })}`,
      `upstreams: ${JSON.stringify(site.upstreams.counts)}`,
      "",
    ],
  };
}

const noneOf = (works: readonly Work[]): Record<string, number> =>
  Object.fromEntries(works.map(({ name }) => [name, 0]));

function lineOf(one: Sample | undefined): string {
  if (one === undefined) return "";
  const { at, memory, heap, descriptors, processes, threads } = one;
  return `${at.toFixed(0)} s: ${memory.toFixed(1)} MB, heap ${heap.toFixed(1)} MB, ${descriptors} files, ${processes} processes, ${threads} threads`;
}
