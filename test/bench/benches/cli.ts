// Commands of the executable, from start to end.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Bench, Row } from "../bench";
import { atMost, type Bound } from "../bound";
import { compiled } from "../compiled";
import { createDeployment } from "../deployment";
import { median, ratios, spread } from "../figures";
import { inTurn } from "../rounds";
import { EXECUTABLE } from "../server-under-test";

const STARTS = 20;

const COMMANDS: readonly { name: string; args: readonly string[]; bound: Bound }[] = [
  { name: "cli-version", args: ["--version"], bound: atMost(1.5) },
  { name: "cli-tools-list", args: ["tools", "list"], bound: atMost(12) },
  { name: "cli-providers-list", args: ["providers", "list"], bound: atMost(12) },
  { name: "cli-config-show", args: ["config", "show"], bound: atMost(12) },
];

export const cli: Bench = {
  name: "cli",
  about: "runtime --version and local read commands, against an empty program that Bun compiled",
  run: async (context) => {
    if (!existsSync(EXECUTABLE)) {
      const note = "no executable: bun run build";
      return COMMANDS.map(({ name, bound }) => ({ name, measured: "", baseline: "", bound, note }));
    }
    const empty = await compiled(context, "empty");
    const { environment } = await createDeployment(join(context.folder, "cli"), 10);
    const rows: Row[] = [];
    for (const { name, args, bound } of COMMANDS) {
      const times = await inTurn(STARTS, {
        baseline: () => duration([empty], environment),
        ours: () => duration([EXECUTABLE, ...args], environment),
      });
      rows.push(row(name, bound, times));
    }
    return rows;
  },
};

function row(name: string, bound: Bound, { ours, baseline }: Record<"ours" | "baseline", number[]>): Row {
  const figures = ratios(ours, baseline);
  const ms = (values: readonly number[]): string => `${median(values).toFixed(1)} ms`;
  return {
    name,
    measured: ms(ours),
    baseline: ms(baseline),
    figure: median(figures),
    spread: spread(figures),
    bound,
    note: `${STARTS} starts`,
  };
}

/** Milliseconds from start to end. Throws if the program fails, because an error is fast. */
function duration(command: string[], environment: Readonly<Record<string, string>>): number {
  const begin = performance.now();
  const env = { PATH: process.env["PATH"] ?? "", ...environment };
  const { exitCode, stderr } = Bun.spawnSync(command, { env, stdin: "ignore" });
  const end = performance.now();
  if (exitCode !== 0) {
    throw new Error(`${command.join(" ")} ended with ${exitCode}: ${stderr.toString().slice(0, 500)}`);
  }
  return end - begin;
}
