// Verification of an audit trail of a million rows.
import { join } from "node:path";
import { isObject, parseJson } from "../../../src/base";
import { scaled } from "../../support/long";
import type { Bench, Context } from "../bench";
import { atMost } from "../bound";
import { SERVER_CORE } from "../children";
import { median, ratios, spread } from "../figures";
import { ROOT } from "../server-under-test";

const TIMEOUT_MS = 600_000;
const ROUNDS = 3;

export const auditVerify: Bench = {
  name: "audit-verify",
  about:
    "verify an audit trail of a million rows, against a bare program that reads and hashes the same rows",
  run: async (context) => {
    const rows = scaled(1_000_000);
    const file = join(context.folder, "audit.db");
    await printed(context, ["audit-trail.ts", "make", file, String(rows)]);
    const [ours, bare]: [number[], number[]] = [[], []];
    let megabytes = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const verified = await measured(context, ["audit-trail.ts", "verify", file], rows);
      ours.push(verified.ms);
      bare.push((await measured(context, ["baselines/audit-floor.ts", file], rows)).ms);
      megabytes = Math.max(megabytes, verified.megabytes);
    }
    const figures = ratios(ours, bare);
    const seconds = (values: readonly number[]): string => `${(median(values) / 1000).toFixed(2)} s`;
    return [
      {
        name: "audit-verify",
        measured: seconds(ours),
        baseline: seconds(bare),
        figure: median(figures),
        spread: spread(figures),
        bound: atMost(3),
        note: `${rows.toLocaleString("en")} rows`,
      },
      {
        name: "audit-verify-memory",
        measured: `+${megabytes.toFixed(1)} MB`,
        baseline: "",
        figure: megabytes,
        bound: atMost(60, "MB"),
      },
    ];
  },
};

async function printed(context: Context, [script = "", ...args]: readonly string[]): Promise<string> {
  const command = [process.execPath, join(ROOT, "test/bench", script), ...args];
  const child = context.children.spawn(command, { core: SERVER_CORE });
  const line = await child.line(TIMEOUT_MS);
  await child.exited;
  return line;
}

async function measured(context: Context, command: readonly string[], rows: number) {
  const value = parseJson(await printed(context, command));
  const number = (name: string): number => Number(isObject(value) ? (value[name] ?? 0) : NaN);
  if (number("rows") !== rows) throw new Error("not all rows were read");
  return { ms: number("ms"), megabytes: number("megabytes") };
}
