// `runtime log`: the log of the running servers of this data folder.
import { LOG_LEVELS, type LogLevel } from "../../src/base/log";
import { withDataFolder } from "../client/client";
import { oneOf, verb } from "../command";
import { UsageError } from "../errors";
import type { ServerLevel } from "../log-levels";
import { printList, type Shape } from "../output";

/** Longer than this, `log.level` is the better place. */
const LONGEST_MS = 24 * 3_600_000;

interface LevelOptions {
  level: LogLevel | undefined;
  /** Milliseconds. */
  duration: number | undefined;
}

const SHAPE: Shape<ServerLevel> = {
  name: ({ level }) => level,
  optional: ["until"],
  columns: [
    { title: "server", value: ({ server }) => server },
    { title: "log level", value: ({ level }) => level },
    { title: "until", value: ({ until }) => until ?? "a restart" },
    { title: "configured", value: ({ configured }) => configured },
  ],
};

export const verbs = [
  verb<LevelOptions>({
    usage: "level [level]",
    summary: "Show or change the log level of the running server of this data folder.",
    examples: ["runtime log level debug --for 10m", "runtime log level info", "runtime log level"],
    flags: [
      {
        flag: "--for <duration>",
        meaning: "time after which the configured level returns, at most 24h (default: until a restart)",
      },
    ],
    read: (line) => {
      const level = oneOf(line.optionalWord(0), LOG_LEVELS, "The level");
      const text = line.text("for");
      if (text !== undefined && level === undefined)
        throw new UsageError("--for needs a level: runtime log level debug --for 10m");
      return { level, duration: text === undefined ? undefined : durationOf(text) };
    },
    run: async (io, common, options) => {
      await withDataFolder(io, common, "log level", async ({ runtime }) => {
        const { levelsOfServers } = await import("../log-levels");
        const { level, duration } = options;
        const until = duration === undefined ? undefined : runtime.core.clock.now() + duration;
        printList(io, common, await levelsOfServers(runtime, level, until), SHAPE, "");
      });
    },
  }),
];

function durationOf(text: string): number {
  const [, count, unit = ""] = /^(\d{1,6})([smh])$/.exec(text) ?? [];
  const units: { [unit: string]: number } = { s: 1000, m: 60_000, h: 3_600_000 };
  const duration = Number(count) * (units[unit] ?? 0);
  if (duration > 0 && duration <= LONGEST_MS) return duration;
  throw new UsageError("--for takes a duration of at most 24h: 30s, 10m, 2h.");
}
