// Reads pages of metrics: over HTTP, and with the parsers of Prometheus.
import { existsSync } from "node:fs";
import { testWith } from "../support/require";

export const OPEN = "application/openmetrics-text; version=1.0.0; charset=utf-8";
export const PLAIN = "text/plain; version=0.0.4; charset=utf-8";

export interface PageAnswer {
  status: number;
  type: string | null;
  text: string;
}

export async function scrape(url: string, key?: string, accept?: string): Promise<PageAnswer> {
  const headers = {
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(accept === undefined ? {} : { accept }),
  };
  const response = await fetch(`${url}/metrics`, { headers });
  return {
    status: response.status,
    type: response.headers.get("content-type"),
    text: await response.text(),
  };
}

/** The value of a series, such as `runtime_consents_total{event="begun"}`; undefined if the page does not have it. */
export function valueOf(text: string, series: string): number | undefined {
  const line = text.split("\n").find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

/** The names of the families, as OpenMetrics declares them. */
export function familiesOf(text: string): string[] {
  return [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = ""]) => name);
}

const PYTHON = "/usr/bin/python3";
const PARSER = "from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse";
const hasParser = existsSync(PYTHON) && Bun.spawnSync([PYTHON, "-c", PARSER], { stderr: "ignore" }).success;
const hasPromtool = Bun.which("promtool") !== null;

/** Tests with the strict parser of `python3-prometheus-client`, and with `promtool` of `prometheus`. */
export const testWithParser = testWith("python3-prometheus-client", hasParser);
export const testWithPromtool = testWith("promtool (package prometheus)", hasPromtool);

/** What the strict parser of OpenMetrics finds wrong; empty: nothing. Throws if it finds no family. */
export async function faultsOf(text: string): Promise<string> {
  const script = `${PARSER}
import sys
try: assert len(list(parse(sys.stdin.buffer.read().decode("utf-8")))) > 0
except Exception as error: print(repr(error))`;
  return run([PYTHON, "-c", script], text);
}

/** What `promtool check metrics` finds wrong with a page in the text format; empty: nothing. */
export function lintOf(text: string): Promise<string> {
  return run(["promtool", "check", "metrics"], text);
}

async function run(command: readonly string[], input: string): Promise<string> {
  const child = Bun.spawn([...command], { stdin: new Blob([input]), stdout: "pipe", stderr: "pipe" });
  const [out, error] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return `${out}${error}`.trim() + ((await child.exited) === 0 ? "" : ` (exit ${child.exitCode})`);
}
