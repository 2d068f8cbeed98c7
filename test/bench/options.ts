// Options of `bun run bench`, from its arguments and environment.
import { parseArgs } from "node:util";

export const SERVERS = ["auto", "executable", "source", "bench"] as const;
export type ServerChoice = (typeof SERVERS)[number];

export interface Options {
  /** Benches to run; empty: all. */
  names: string[];
  list: boolean;
  help: boolean;
  /** Where the JSON report goes. */
  json: string | undefined;
  /** Length of one round of one side, s. */
  seconds: number;
  rounds: number;
  /** A bound is met if every run meets it. */
  runs: number;
  /** The larger of the two histories that are compared. */
  connections: number;
  /** The measured server; `auto` is the executable if it was built. */
  server: ServerChoice;
}

export const HELP = `bun run bench [name …] [options]

  --list             list the benches
  --json FILE        also write the report as JSON
  --seconds N        length of one round of one side (RUNTIME_BENCH_SECONDS; default 1)
  --rounds N         rounds, each of both sides in turn (RUNTIME_BENCH_ROUNDS; default 15)
  --runs N           repeat everything; a bound is met when it is met in every run (default 1)
  --connections N    the longer history (default 100,000; RUNTIME_BENCH_LONG=1: 1,000,000)
  --server KIND      ${SERVERS.join(", ")} (default auto: dist/runtime if it is there)
`;

type Environment = Readonly<Record<string, string | undefined>>;

/** Throws an `Error` that names the wrong option. */
export function readOptions(args: readonly string[], environment: Environment): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      list: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
      json: { type: "string" },
      seconds: { type: "string", default: environment["RUNTIME_BENCH_SECONDS"] ?? "1" },
      rounds: { type: "string", default: environment["RUNTIME_BENCH_ROUNDS"] ?? "15" },
      runs: { type: "string", default: "1" },
      connections: {
        type: "string",
        default: environment["RUNTIME_BENCH_LONG"] === "1" ? "1000000" : "100000",
      },
      server: { type: "string", default: "auto" },
    },
  });
  return {
    names: positionals,
    list: values.list,
    help: values.help,
    json: values.json,
    seconds: positive("seconds", values.seconds),
    rounds: whole("rounds", values.rounds),
    runs: whole("runs", values.runs),
    connections: whole("connections", values.connections),
    server: serverOf(values.server),
  };
}

function serverOf(text: string): ServerChoice {
  const server = SERVERS.find((name) => name === text);
  if (server === undefined) throw new Error(`--server must be one of ${SERVERS.join(", ")}`);
  return server;
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 600)) throw new Error(`${name} must be a number between 0 and 600`);
  return value;
}

function whole(name: string, text: string): number {
  const value = Number(text.replaceAll(/[,_]/g, ""));
  if (!Number.isInteger(value) || value < 1) throw new Error(`${name} must be a whole number of at least 1`);
  return value;
}
