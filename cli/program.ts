// The command line: finds the command, parses, runs, and turns the result into an exit code.
import { Command, CommanderError, Help } from "commander";
import { type Common, type FlagSpec, Line, type Noun, type Verb } from "./command";
import { forbidDumps, refuseUnsafeVariables } from "./engine";
import { EXIT, UsageError } from "./errors";
import { type Io, systemIo } from "./io";
import { nouns } from "./nouns";
import { known, sorted, type SortedLine, wordsOf } from "./open-options";
import { type Format, FORMATS } from "./output";
import { report } from "./report";

export interface Prepared {
  /** `keys create` */
  command: string;
  common: Common;
  options: object;
  run(io: Io): Promise<number | void>;
}

/** Runs one command line. Resolves to the exit code and never rejects. */
export async function main(argv: readonly string[], given?: Io): Promise<number> {
  const io = given ?? (await systemIo());
  // A shell completes a line: the words that follow belong to that line and are not our options.
  if (argv[0] === "__complete") return (await import("./complete")).complete(io, argv.slice(1));
  let format = likelyFormat(argv);
  try {
    const prepared = await parse(io, argv);
    if (prepared === undefined) return EXIT.ok;
    format = prepared.common.output;
    refuseUnsafeVariables(io.env);
    if (given === undefined) await forbidDumps();
    return (await prepared.run(io)) ?? EXIT.ok;
  } catch (error) {
    return report(io, format, error);
  }
}

/** The command of a line; undefined if it was a request for help, which is printed. Throws `usage`. */
export async function parse(io: Io, argv: readonly string[]): Promise<Prepared | undefined> {
  let prepared: Prepared | undefined;
  const program = newProgram(io);
  let open: OpenLine | undefined;
  const take: Take = (command, verb, { words, flags, excess }) => {
    const common = commonOf(program.opts());
    if (open?.help === true) {
      const { helpText } = open;
      const printHelp = async (target: Io): Promise<void> =>
        (await import("./tool-help")).printToolHelp(target, common, helpText(), words[0] ?? "");
      prepared = { command, common, options: {}, run: printHelp };
      return;
    }
    const acts = !READING.has(command.split(" ").at(-1) ?? "");
    const given =
      verb.program === true ? behindDashes(argv, words, excess) : { words, rest: excess, program: [] };
    const rest = [...given.rest, ...(open?.parameters ?? [])];
    const line = new Line(given.words, flags, rest, {
      command: `runtime ${command}`,
      program: given.program,
    });
    const { options, run } = verb.prepare(line);
    prepared = { command, common, options, run: (target) => run(target, { ...common, acts }) };
  };
  // Only the nouns that occur on the line are loaded; the others are just names in the help.
  for (const noun of nouns) {
    if (argv.includes(noun.name)) addVerbs(program, noun, (await noun.load()).verbs, take);
    else program.command(noun.name).description(noun.summary);
  }
  try {
    open = openLine(program, argv);
    await program.parseAsync(open?.declared ?? [...argv], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return undefined;
    // Only flags: show what to do next.
    if (error.code !== "commander.help") throw usageOf(error, commandOn(program, argv));
    const { nextCommands } = await import("./commands/next");
    take("", nextCommands, { words: [], flags: {}, excess: [] });
  }
  return prepared;
}

/** Flags that every command takes. */
export function commonFlags(): readonly FlagSpec[] {
  return [
    { flag: "--data-dir <folder>", meaning: "folder of the database" },
    {
      flag: "--database <url>",
      meaning: "PostgreSQL database instead of the file in that folder, as a URL without a password",
    },
    { flag: "--config <file>", meaning: "configuration file" },
    { flag: "--project <id>", meaning: "project that the command works in" },
    { flag: "--server <url>", meaning: "run the command against a server; `local`: on the data folder" },
    {
      flag: "--key-file <file>",
      meaning:
        "file with the API key for the server, or - for standard input (default: RUNTIME_API_KEY or `runtime login`)",
    },
    { flag: "--timeout <seconds>", meaning: "timeout of one request to the server (default: 120)" },
    { flag: "-o, --output <format>", meaning: `${FORMATS.join(", ")} (default: table)` },
    {
      flag: "--fields <names>",
      meaning: "show only these fields, separated by commas (id,name,oauth2.client_id)",
    },
    { flag: "--no-headers", meaning: "omit the header row of tables" },
  ];
}

/** `-o, --output <format>` → both names. */
export function flagNames(flag: string): string[] {
  return flag.split(/,\s*/).map((name) => name.split(" ", 1)[0] ?? "");
}

function newProgram(io: Io): Command {
  const program = new Command("runtime");
  for (const { flag, meaning } of commonFlags()) program.option(flag, meaning);
  return program
    .description("Control and execution plane of an agent runtime.")
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => io.out(text),
      // `report` prints it, like every other error.
      writeErr: () => undefined,
      getOutHelpWidth: () => io.columns ?? 100,
      getOutHasColors: () => false,
    })
    .addHelpText("after", "\nWithout a command: shows what to do next. --version: prints the version.\n")
    .helpCommand(false)
    .exitOverride((error) => {
      throw error;
    });
}

interface ParsedLine {
  words: readonly string[];
  flags: { readonly [name: string]: unknown };
  /** Words beyond those of the usage. */
  excess: readonly string[];
}

type Take = (command: string, verb: Verb, line: ParsedLine) => void;

function addVerbs(program: Command, { name, summary, http }: Noun, verbs: readonly Verb[], take: Take): void {
  const [first] = verbs;
  if (first !== undefined && verbs.length === 1 && firstWord(first.usage) === name) {
    addVerb(program, name, first, take);
    return;
  }
  const parent = program.command(name).description(summary).configureHelp({ showGlobalOptions: false });
  parent.addHelpText(
    "after",
    `${http === undefined ? "" : `\n${overHttp(http)}`}\nOptions of every command: runtime --help\n`,
  );
  parent.exitOverride((error) => {
    if (error.code !== "commander.help") throw error;
    const words = verbs.map(({ usage }) => firstWord(usage)).join(", ");
    throw new UsageError(`A command is missing: runtime ${name} takes ${words}.`);
  });
  for (const verb of verbs) addVerb(parent, `${name} ${firstWord(verb.usage)}`, verb, take);
}

function addVerb(parent: Command, name: string, verb: Verb, take: Take): void {
  const command = parent.command(verb.usage).description(verb.summary);
  for (const { flag, meaning, repeat } of verb.flags ?? []) {
    if (repeat === true)
      command.option(flag, meaning, (value: string, all: string[] = []) => [...all, value]);
    else command.option(flag, meaning);
  }
  if (verb.open === true) command.allowUnknownOption().allowExcessArguments();
  command.configureHelp({ showGlobalOptions: true, formatHelp: examplesFirst(verb.examples) });
  command.action(() => {
    const count = command.registeredArguments.length;
    const [words, excess] = [command.args.slice(0, count), command.args.slice(count)];
    take(name, verb, { words, flags: command.opts(), excess });
  });
}

function overHttp(path: string): string {
  return `Over HTTP: curl -H "Authorization: Bearer $RUNTIME_API_KEY" http://127.0.0.1:9099${path}`;
}

// Between the summary and the flags, because most readers look for a line to copy.
function examplesFirst(examples: readonly string[]): Help["formatHelp"] {
  return (command, helper) => {
    const text = Help.prototype.formatHelp.call(helper, command, helper);
    const block = `Examples:\n${examples.map((example) => `  ${example}\n`).join("")}\n`;
    const at = text.search(/^(?:Arguments|Options|Global Options):/m);
    return at < 0 ? `${text}\n${block}` : text.slice(0, at) + block + text.slice(at);
  };
}

/** The words of a line, and those behind `--`, which the parser does not tell from the others. */
function behindDashes(argv: readonly string[], words: ParsedLine["words"], excess: readonly string[]) {
  const all = [...words.filter((word) => word !== undefined), ...excess];
  const dashes = argv.indexOf("--");
  const program = dashes < 0 ? [] : argv.slice(dashes + 1);
  const before = all.slice(0, all.length - program.length);
  return { words: before.slice(0, words.length), rest: before.slice(words.length), program };
}

interface OpenLine extends SortedLine {
  helpText(): string;
}

// The parser does not know a tool's parameters, so it gets the line without them. Undefined for other lines.
function openLine(program: Command, argv: readonly string[]): OpenLine | undefined {
  const [noun, verb] = wordsOf(argv, known(program.options));
  const command = program.commands
    .find((each) => each.name() === noun)
    ?.commands.find((each) => each.name() === verb);
  const { open } = nouns.find(({ name }) => name === noun) ?? {};
  if (command === undefined || open !== verb) return undefined;
  const options = known([...program.options, ...command.options]);
  // The noun, the verb and the tool.
  const line = sorted(argv, options, 3);
  const helpText = (): string => command.helpInformation();
  if (!line.help || wordsOf(line.declared, options).length >= 3) return { ...line, helpText };
  return { ...line, declared: [...line.declared, "--help"], help: false, helpText };
}

/** Verbs that change nothing. */
const READING = new Set(["list", "show", "status", "setup", "export", "doctor", "version"]);

function commonOf(flags: { readonly [name: string]: unknown }): Common {
  const line = new Line([], flags);
  return {
    dataDir: line.text("data-dir"),
    database: line.text("database"),
    config: line.text("config"),
    project: line.text("project"),
    server: line.text("server"),
    keyFile: line.text("key-file"),
    timeout: line.integer("timeout", 1),
    fields: fieldsOf(line.text("fields")),
    headers: line.has("headers"),
    output: line.choice("output", FORMATS) ?? "table",
  };
}

function fieldsOf(text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined;
  const names = text.split(",").map((name) => name.trim());
  if (names.every((name) => /^\w+(\.\w+)*$/.test(name))) return names;
  throw new UsageError("--fields takes names separated by commas, for example --fields id,name.");
}

// For lines that cannot be parsed: a script that requests JSON gets the error as JSON too.
function likelyFormat(argv: readonly string[]): Format {
  const forms = (format: Format): string[] => [
    `-o ${format}`,
    `-o${format}`,
    `--output ${format}`,
    `--output=${format}`,
  ];
  const pairs = argv.flatMap((word, at) => [word, `${word} ${argv[at + 1] ?? ""}`]);
  return FORMATS.find((format) => forms(format).some((form) => pairs.includes(form))) ?? "table";
}

// The parser's message repeats an unknown option with its value, which may be a secret.
function usageOf({ code, message }: CommanderError, { name, usage, flags }: NamedCommand): UsageError {
  const given = /'(--[\w-]+)=/.exec(message)?.[1];
  if (code === "commander.unknownOption" && given !== undefined && flags.includes(given))
    return new UsageError(`${given} takes no value. See: ${name} --help`);
  const text = message
    .replace(/^error: /, "")
    .replace(/'(--?[\w-]+)=.*?'/s, "'$1'")
    .split("\n")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .join(" ");
  const first = `${text.charAt(0).toUpperCase()}${text.slice(1)}`.replace(/\.$/, "");
  const words = code === "commander.missingArgument" ? `Usage: ${usage}. ` : "";
  return new UsageError(`${first}. ${words}See: ${name} --help`);
}

interface NamedCommand {
  /** `runtime keys create`, as far as the line names a command. */
  name: string;
  /** `runtime keys create [options] <name>` */
  usage: string;
  /** `--role` */
  flags: readonly string[];
}

function commandOn(program: Command, argv: readonly string[]): NamedCommand {
  const [noun, verb] = wordsOf(argv, known(program.options));
  const parent = program.commands.find((each) => each.name() === noun);
  const child = parent?.commands.find((each) => each.name() === verb);
  const name = ["runtime", parent?.name(), child?.name()].filter((word) => word !== undefined).join(" ");
  const command = child ?? parent ?? program;
  const flags = [...program.options, ...command.options].flatMap(({ long }) => long ?? []);
  return { name, usage: `${name} ${command.usage()}`, flags };
}

export function firstWord(usage: string): string {
  return usage.split(" ", 1)[0] ?? "";
}
