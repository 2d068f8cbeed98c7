// What happens at one moment, and the times of the databases.
import type { Events, Measures } from "../../telemetry";
import { Counter, type Family, Histogram } from "../families";

/** Limits of buckets in seconds: a database answers sooner than a server. */
const SHORT = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5, 30];

export type Happened = { [E in keyof Events]: (labels: Events[E], times: number) => void };

export function eventFamilies(): [readonly Family[], Happened] {
  const consents = new Counter({
    name: "runtime_consents",
    help: "Consents of users by event (begun, granted, declined, failed).",
    labels: ["event"],
  });
  const refusals = new Counter({
    name: "runtime_limit_refusals",
    help: "Requests that were refused because of a limit, by the setting of the limit.",
    labels: ["setting"],
  });
  const lines = new Counter({
    name: "runtime_log_lines",
    help: "Lines of the log by level.",
    labels: ["level"],
  });
  const spans = new Counter({
    name: "runtime_trace_spans_dropped",
    help: "Spans of traces that did not reach the collector, by reason.",
    labels: ["reason"],
  });
  return [
    [consents, refusals, lines, spans],
    {
      consent: ({ event }, times) => consents.add([event], times),
      refusal: ({ setting }, times) => refusals.add([setting], times),
      log_line: ({ level }, times) => lines.add([level], times),
      dropped_spans: ({ reason }, times) => spans.add([reason], times),
    },
  ];
}

export function databaseFamilies(): Readonly<Record<keyof Measures, Histogram>> {
  const family = (name: string, help: string): Histogram =>
    new Histogram(
      { name: `runtime_database_${name}_seconds`, help, unit: "seconds", labels: ["database"] },
      SHORT,
    );
  return {
    read: family("read_duration", "Time of a read of a database (main, log)."),
    write: family("write_duration", "Time from the order to write to the commit, by database (main, log)."),
    write_wait: family("write_wait", "Time that a write has waited for its transaction, by database."),
  };
}
