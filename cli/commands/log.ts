// `runtime log`: the log of the running servers of this data folder.
import { LOG_LEVELS, type LogLevel } from "../../src/base/log";
import type { Runtime } from "../../src/runtime";
import { withDataFolder } from "../client/client";
import { type Line, oneOf, verb } from "../command";
import { UsageError } from "../errors";
import type { ServerAccess, ServerLevel } from "../log-controls";
import { printList, type Shape } from "../output";

/** Longer than this, a setting is the better place. */
const LONGEST_MS = 24 * 3_600_000;
const STATES = ["on", "off"] as const;

interface Change<T> {
  /** Undefined: only shown. */
  to: T | undefined;
  /** Milliseconds. */
  duration: number | undefined;
}

const LEVEL: Shape<ServerLevel> = {
  name: ({ level }) => level,
  optional: ["until"],
  columns: [
    { title: "server", value: ({ server }) => server },
    { title: "log level", value: ({ level }) => level },
    { title: "until", value: ({ until }) => until ?? "a restart" },
    { title: "configured", value: ({ configured }) => configured },
  ],
};

const ACCESS: Shape<ServerAccess> = {
  name: ({ access }) => stateOf(access),
  optional: ["until"],
  columns: [
    { title: "server", value: ({ server }) => server },
    { title: "access log", value: ({ access }) => stateOf(access) },
    { title: "until", value: ({ until }) => until ?? "a restart" },
    { title: "configured", value: ({ configured }) => stateOf(configured) },
  ],
};

export const verbs = [
  verb<Change<LogLevel>>({
    usage: "level [level]",
    summary: "Show or change the log level of the running server of this data folder.",
    examples: ["runtime log level debug --for 10m", "runtime log level info", "runtime log level"],
    flags: [
      {
        flag: "--for <duration>",
        meaning: "time after which the configured level returns, at most 24h (default: until a restart)",
      },
    ],
    read: (line) =>
      change(line, oneOf(line.optionalWord(0), LOG_LEVELS, "The level"), "a level", "level debug"),
    run: async (io, common, { to, duration }) => {
      await withDataFolder(io, common, "log level", async ({ runtime }) => {
        const { levelsOfServers } = await import("../log-controls");
        printList(io, common, await levelsOfServers(runtime, to, endOf(runtime, duration)), LEVEL, "");
      });
    },
  }),
  verb<Change<"on" | "off">>({
    usage: "access [state]",
    summary: "Show the access log of the running server of this data folder, or switch it on or off.",
    examples: ["runtime log access on --for 10m", "runtime log access off", "runtime log access"],
    flags: [
      {
        flag: "--for <duration>",
        meaning: "time after which log.access applies again, at most 24h (default: until a restart)",
      },
    ],
    read: (line) => change(line, oneOf(line.optionalWord(0), STATES, "The state"), "on or off", "access on"),
    run: async (io, common, { to, duration }) => {
      await withDataFolder(io, common, "log access", async ({ runtime }) => {
        const { accessOfServers } = await import("../log-controls");
        const access = to === undefined ? undefined : to === "on";
        const states = await accessOfServers(runtime, access, endOf(runtime, duration));
        printList(io, common, states, ACCESS, "");
        if (states.some(({ access, level }) => access && level === "silent"))
          io.note(
            "warning: The log level is silent, so nothing is written. Change it: runtime log level info",
          );
      });
    },
  }),
];

function change<T>(line: Line, to: T | undefined, needed: string, example: string): Change<T> {
  const text = line.text("for");
  if (text === undefined) return { to, duration: undefined };
  if (to === undefined) throw new UsageError(`--for needs ${needed}: runtime log ${example} --for 10m`);
  return { to, duration: durationOf(text) };
}

function endOf({ core }: Runtime, duration: number | undefined): number | undefined {
  return duration === undefined ? undefined : core.clock.now() + duration;
}

function stateOf(access: boolean): "on" | "off" {
  return access ? "on" : "off";
}

function durationOf(text: string): number {
  const [, count, unit = ""] = /^(\d{1,6})([smh])$/.exec(text) ?? [];
  const units: { [unit: string]: number } = { s: 1000, m: 60_000, h: 3_600_000 };
  const duration = Number(count) * (units[unit] ?? 0);
  if (duration > 0 && duration <= LONGEST_MS) return duration;
  throw new UsageError("--for takes a duration of at most 24h: 30s, 10m, 2h.");
}
