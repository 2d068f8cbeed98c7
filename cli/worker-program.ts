// The flags and words of `workers create` and `update` for an MCP server that is a program of this machine.
import type { Client } from "./client/client";
import { LOCAL } from "./client/target";
import { defined, type FlagSpec, type Line } from "./command";
import { UsageError } from "./errors";
import type { Io } from "./io";
import { pair, variable } from "./worker-values";

export const PROGRAM_FLAGS: readonly FlagSpec[] = [
  {
    flag: "--env <name=value>",
    meaning: "programs only: a variable of its environment, in place of all of them; may be repeated",
    repeat: true,
  },
  {
    flag: "--env-env <name=variable>",
    meaning: "programs only: one whose value is a secret in an environment variable; may be repeated",
    repeat: true,
  },
  {
    flag: "--read <path>",
    meaning: "programs only: a file or folder that it may also read; may be repeated",
    repeat: true,
  },
  {
    flag: "--write <path>",
    meaning: "programs only: a file or folder that it may also change; may be repeated",
    repeat: true,
  },
  { flag: "--shared", meaning: "programs only: one process serves all users, who share its memory" },
  { flag: "--no-shared", meaning: "programs only: each user has a process of their own" },
  { flag: "--sandbox <manner>", meaning: "programs only: run it in a cage (cage), or without one (none)" },
];

export interface ProgramFields {
  /** The command line behind `--`. */
  program: readonly string[];
  environment: readonly string[];
  secretEnvironment: readonly string[];
  /** Fields of `mcp.stdio`. */
  own: object;
}

export function programFields(line: Line): ProgramFields {
  return {
    program: line.program,
    environment: line.texts("env") ?? [],
    secretEnvironment: line.texts("env-env") ?? [],
    own: defined({
      shared: line.toggle("shared"),
      sandbox: line.choice("sandbox", ["cage", "none"]),
      read: line.texts("read"),
      write: line.texts("write"),
    }),
  };
}

/** Whether the line says anything about a program. */
export function namesProgram({ program, environment, secretEnvironment, own }: ProgramFields): boolean {
  return program.length + environment.length + secretEnvironment.length + Object.keys(own).length > 0;
}

/** The fields of `mcp` for a program. Values from the environment become secrets, which its variables name. */
export function programPart(
  io: Io,
  { program, environment, secretEnvironment, own }: ProgramFields,
): { stdio?: object; secrets?: Record<string, string> } {
  const variables: Record<string, string> = {};
  const secrets: Record<string, string> = {};
  for (const [name, value] of environment.map((text) => pair(text, "--env"))) variables[name] = value;
  for (const [name, from] of secretEnvironment.map((text) => pair(text, "--env-env"))) {
    secrets[name] = variable(io, from);
    variables[name] = `\${secret:${name}}`;
  }
  const [command, ...rest] = program;
  const stdio = defined({
    ...own,
    command,
    arguments: command === undefined ? undefined : rest,
    environment: Object.keys(variables).length === 0 ? undefined : variables,
  });
  return {
    ...(Object.keys(stdio).length === 0 ? {} : { stdio }),
    ...(secretEnvironment.length === 0 ? {} : { secrets }),
  };
}

/** Throws `usage` for a command that goes to a server: nothing of a program is sent there. */
export function requireDataFolder(client: Client, fields: ProgramFields): void {
  if (client.kind === "direct" || !namesProgram(fields)) return;
  throw new UsageError(
    `Programs are set on the data folder only, but commands go to a server. On its own machine use --server ${LOCAL}.`,
  );
}
