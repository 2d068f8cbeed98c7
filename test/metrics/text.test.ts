// The text of the page: escapes, sums of hidden names, bounds, and the choice of the format.
import { describe, expect, test } from "bun:test";
import { Counter, Histogram } from "../../src/metrics/families";
import { formatFor } from "../../src/metrics/negotiation";
import { OPEN_METRICS, pageOf, PLAIN as PLAIN_FORMAT } from "../../src/metrics/page";
import { Reading } from "../../src/metrics/readings/gauge";
import { faultsOf, lintOf, OPEN, PLAIN, testWithParser, testWithPromtool, valueOf } from "./page";

const SECONDS = { unit: "seconds" } as const;

function runsOf() {
  const calls = new Counter(
    { name: "runs", help: "Runs.", labels: ["toolkit", "outcome"] },
    { owned: ["toolkit"] },
  );
  const times = new Histogram(
    { name: "run_duration_seconds", help: "Time.", ...SECONDS, labels: ["toolkit"] },
    [0.5, 1],
    { owned: ["toolkit"] },
  );
  const text = (viewer?: string, format = OPEN_METRICS): string =>
    pageOf(
      [calls, times].map((family) => ({ family, samples: family.samples() })),
      format,
      viewer,
    );
  return { calls, times, text };
}

const STRANGE = 'a "quoted" \\ name\nwith\u0000 \u2028 lines \uD800 and 💡';

test("a histogram has cumulative buckets up to infinity, a count and a sum", () => {
  const { times, text } = runsOf();
  for (const ms of [100, 500, 700, 5000, -3]) times.observe(["Chat"], ms);

  expect(text()).toContain(
    `# TYPE run_duration_seconds histogram
# UNIT run_duration_seconds seconds
# HELP run_duration_seconds Time.
run_duration_seconds_bucket{toolkit="Chat",le="0.5"} 3
run_duration_seconds_bucket{toolkit="Chat",le="1.0"} 4
run_duration_seconds_bucket{toolkit="Chat",le="+Inf"} 5
run_duration_seconds_count{toolkit="Chat"} 5
run_duration_seconds_sum{toolkit="Chat"} 6.3
# EOF
`,
  );
});

test("the older format has full names in its comments, and no end", () => {
  const { calls, text } = runsOf();
  calls.add(["Chat", "completed"]);

  expect(text(undefined, PLAIN_FORMAT)).toStartWith(
    `# HELP runs_total Runs.\n# TYPE runs_total counter\nruns_total{toolkit="Chat",outcome="completed"} 1\n`,
  );
  expect(text(undefined, PLAIN_FORMAT)).not.toContain("# EOF");
});

test("a name of others is one line and ends its own quotes only", () => {
  const { calls, text } = runsOf();
  calls.add([STRANGE, "completed"], 1, "sales");

  expect(text()).toContain(
    'runs_total{toolkit="a \\"quoted\\" \\\\ name\\nwith  \u2028 lines \uFFFD and 💡"',
  );
});

testWithParser("a name of others is valid for the strict parser", async () => {
  const { calls, times, text } = runsOf();
  calls.add([STRANGE, "completed"], 1, "sales");
  times.observe([STRANGE], 1, "sales");

  expect(await faultsOf(text())).toBe("");
});

testWithPromtool("a name of others is valid for promtool", async () => {
  const { calls, times, text } = runsOf();
  calls.add([STRANGE, "completed"], 1, "sales");
  times.observe([STRANGE], 1, "sales");

  expect(await lintOf(text(undefined, PLAIN_FORMAT))).toBe("");
});

describe("names that a project has chosen", () => {
  test("are shown to that project, and are added up as other for another one", () => {
    const { calls, times, text } = runsOf();
    for (const name of ["Payroll", "Invoices"]) {
      calls.add([name, "completed"], 2, "sales");
      times.observe([name], 700, "sales");
    }
    calls.add(["Chat", "completed"]);

    expect(text("sales")).toContain('runs_total{toolkit="Payroll",outcome="completed"} 2\n');
    const foreign = text("support");
    expect(foreign).toContain('runs_total{toolkit="other",outcome="completed"} 4\n');
    expect(foreign).toContain('runs_total{toolkit="Chat",outcome="completed"} 1\n');
    expect(foreign).toContain('run_duration_seconds_bucket{toolkit="other",le="1.0"} 2\n');
    expect(foreign).toContain('run_duration_seconds_sum{toolkit="other"} 1.4\n');
    expect(foreign).not.toMatch(/Payroll|Invoices/);
  });

  test("of two projects are added up for those who see both", () => {
    const { calls, text } = runsOf();
    calls.add(["Wiki", "completed"], 1, "sales");
    calls.add(["Wiki", "completed"], 3, "support");

    expect(text()).toContain('runs_total{toolkit="Wiki",outcome="completed"} 4\n');
    expect(text("sales").match(/^runs_total/gm)).toHaveLength(2);
  });

  test("are bounded, for each project and for all, and nothing is lost", () => {
    const { calls, text } = runsOf();
    for (let project = 0; project < 10; project++)
      for (let name = 0; name < 1000; name++) calls.add([`T${name}`, "completed"], 1, `project ${project}`);
    // Those of the product are counted one by one all the same.
    calls.add(["Chat", "completed"]);

    const lines = calls.samples();
    expect(lines.length).toBeLessThanOrEqual(1002);
    const sum = lines.reduce((total, { value }) => total + (typeof value === "number" ? value : 0), 0);
    expect(sum).toBe(10_001);
    expect(valueOf(text(), 'runs_total{toolkit="Chat",outcome="completed"}')).toBe(1);
    expect(valueOf(text(), 'runs_total{toolkit="other",outcome="completed"}')).toBe(9000);
  });
});

test("a value that is unknown here is missing", async () => {
  const family = new Reading("gauge", { name: "descriptors", help: "Open.", labels: [] }, () => undefined);

  const page = pageOf([{ family, samples: await family.samples() }], OPEN_METRICS, undefined);

  expect(page).toBe("# TYPE descriptors gauge\n# HELP descriptors Open.\n# EOF\n");
});

test.each([
  // What Prometheus 2 and 3 send.
  [
    "application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
    OPEN,
  ],
  ["application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,text/plain;q=0.5", OPEN],
  ["text/plain;version=0.0.4;q=0.5,*/*;q=0.1", PLAIN],
  ["application/openmetrics-text", OPEN],
  ['Application/OpenMetrics-Text; Version="1.0.0"', OPEN],
  ["application/openmetrics-text;q=0", PLAIN],
  ["application/openmetrics-text;version=2.0.0", PLAIN],
  ["application/openmetrics-text;q=0.2,text/plain;q=0.8", PLAIN],
  ["text/html,application/xhtml+xml,*/*;q=0.8", PLAIN],
  ["*/*", PLAIN],
  ["", PLAIN],
  [undefined, PLAIN],
])("Accept: %p gets %s", (accept, type) => {
  expect(formatFor(accept).contentType).toBe(type);
});
