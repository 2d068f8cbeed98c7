// `runtime serve` as supervisors and scripts write it: flags with their values and nothing else. It is read without the
// parser of the program, which takes as long to load as the store to open. Whatever else stands there (help, a mistake, a
// flag that has nothing to do with a server) is left to the program.
import type { Common } from "./command";
import { systemIo } from "./io";
import { type ServeOptions, serve } from "./serve";

export interface ServeLine {
  common: Common;
  options: ServeOptions;
}

const COMMON = {
  server: undefined,
  keyFile: undefined,
  timeout: undefined,
  output: "table",
  fields: undefined,
  headers: true,
} as const;
const FLAGS = ["data-dir", "config", "project", "host", "port", "tls-cert", "tls-key"] as const;
type Flag = (typeof FLAGS)[number];

/** Runs the line and answers the exit code; undefined when the program has to read it. */
export async function main(argv: readonly string[]): Promise<number | undefined> {
  const line = plainLine(argv);
  if (line === undefined) return undefined;
  const io = await systemIo();
  try {
    await serve(io, line.common, line.options);
    return 0;
  } catch (error) {
    const { report } = await import("./report");
    return report(io, line.common.output, error);
  }
}

/** What the program would make of the line; undefined where that needs the program itself. */
export function plainLine([command, ...words]: readonly string[]): ServeLine | undefined {
  if (command !== "serve") return undefined;
  const values = new Map<Flag, string>();
  for (let at = 0; at < words.length; at += 2) {
    const flag = FLAGS.find((each) => words[at] === `--${each}`);
    const value = words[at + 1];
    if (flag === undefined || value === undefined || value.startsWith("-")) return undefined;
    values.set(flag, value);
  }
  return {
    common: {
      ...COMMON,
      dataDir: values.get("data-dir"),
      config: values.get("config"),
      project: values.get("project"),
    },
    options: {
      host: values.get("host"),
      port: values.get("port"),
      "tls.cert": values.get("tls-cert"),
      "tls.key": values.get("tls-key"),
    },
  };
}
