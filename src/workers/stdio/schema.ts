// `mcp.stdio` of a worker: a program on this machine that speaks MCP on its standard input and output. Not in the published
// contract, and never taken from a request over HTTP.
import { type Static, Type } from "typebox";

/** Of the address of a program, which nothing is sent to: `stdio:ID`. */
export const STDIO_SCHEME = "stdio:";

export const SANDBOXES = ["cage", "none"] as const;

const text = Type.String({ maxLength: 4096, pattern: "^[^\\x00]*$" });
const command = Type.String({
  minLength: 1,
  maxLength: 4096,
  pattern: "^[^\\x00]*$",
  description: "The program: a name in PATH, or an absolute path.",
});
const programArguments = Type.Array(text, {
  maxItems: 200,
  description:
    "Its arguments. ${home} is the folder of the process. ${secret:NAME} is replaced by that entry of secrets, which other users of the machine can then see.",
});
const environment = Type.Record(Type.String({ pattern: "^[A-Za-z_][A-Za-z0-9_]{0,99}$" }), text, {
  maxProperties: 100,
  description:
    "All that the program gets besides PATH, HOME, TMPDIR and LANG. ${secret:NAME} is replaced by that entry of secrets, " +
    "${user.PROVIDER} by the user's own key, ${user_id} by the user's id, ${home} by the folder of the process.",
});
const shared = Type.Boolean({
  description:
    "Whether one process serves all users, who then share its memory. Otherwise each user has one.",
});
const sandbox = Type.Enum([...SANDBOXES], {
  description: "Whether the program runs in a cage (cage), or knowingly without one (none).",
});
const path = Type.String({ minLength: 1, maxLength: 4096, pattern: "^/[^\\x00]*$" });
const read = Type.Array(path, {
  maxItems: 100,
  description: "Absolute paths that it may read besides the system's folders and its own.",
});
const write = Type.Array(path, { maxItems: 100, description: "Absolute paths that it may also change." });

/** As it is given; what is left out has its default. */
export const GivenStdio = Type.Object(
  {
    command,
    arguments: Type.Optional(programArguments),
    environment: Type.Optional(environment),
    shared: Type.Optional(shared),
    sandbox: Type.Optional(sandbox),
    read: Type.Optional(read),
    write: Type.Optional(write),
  },
  { additionalProperties: false },
);

/** Given fields replace the old values. */
export const ChangedStdio = Type.Object(
  { ...GivenStdio.properties, command: Type.Optional(command) },
  { additionalProperties: false },
);

export const StdioRecord = Type.Object(
  { command, arguments: programArguments, environment, shared, sandbox, read, write },
  {
    description:
      "A program of this machine. It is set at the terminal of the data folder or in runtime.yaml.",
  },
);

export type StdioConfig = Static<typeof StdioRecord>;
export type GivenStdio = Static<typeof GivenStdio>;
export type ChangedStdio = Static<typeof ChangedStdio>;

export function newStdio(given: GivenStdio): StdioConfig {
  return {
    command: given.command,
    arguments: given.arguments ?? [],
    environment: given.environment ?? {},
    shared: given.shared ?? false,
    sandbox: given.sandbox ?? "cage",
    read: given.read ?? [],
    write: given.write ?? [],
  };
}
