// docs/cli.md, from the rows of the commands.
import type { Noun, Verb } from "../../cli/command";
import { EXITS } from "../../cli/errors";
import { nouns } from "../../cli/nouns";
import { commonFlags, firstWord } from "../../cli/program";
import outputs from "./outputs.json";
import { escaped, sentence } from "./text";

/** What each command prints with `-o json`. The acceptance tests compare it with what they see. */
const OUTPUTS: Readonly<Record<string, string>> = outputs;

const INTRODUCTION = `# Commands

<!-- Generated from the declarations of the commands: bun run docs -->

Every command, with its words and options. \`<word>\` is required, \`[word]\` optional, \`...\` may be repeated. \`runtime COMMAND --help\` prints the same at the terminal. Commands work on the data folder, or against a server (\`--server\`, \`RUNTIME_SERVER\`, \`runtime login\`); those that work only on the data folder say so. The examples are run by the tests.
`;

const OUTPUT = `## Output

Data goes to standard output, messages and prompts to standard error. Check the exit code to see whether a command succeeded.

- \`-o table\` is for people, and the default. It fits the width of a terminal and is not cut in a pipe.
- \`-o json\` prints what "Output" says of a command, \`-o yaml\` the same as YAML, \`-o ndjson\` one record on each line.
- \`-o name\` prints only the id or name that other commands take, one on each line.
- \`--fields id,oauth2.client_id\` prints only these fields, \`--no-headers\` omits the titles of tables.

With \`json\`, \`yaml\` and \`ndjson\`, an error is also a record on standard output: \`{"name", "message", "field_errors"?}\`. If a user must consent first (exit code 6), it also has \`authorization\` with \`id\`, \`url\` and \`status\`. Fields with \`?\` may be absent.
`;

export async function cliPage(): Promise<string> {
  const sections = await Promise.all(nouns.map(nounText));
  return [INTRODUCTION, commonOptions(), OUTPUT, exitCodes(), ...sections].join("\n");
}

function commonOptions(): string {
  return `## Options of every command\n\n${options(commonFlags())}`;
}

function exitCodes(): string {
  const [code, meaning] = ["Exit code", "Meaning"];
  const width = Math.max(...EXITS.map((exit) => exit.meaning.length));
  const row = (left: string, right: string): string =>
    `| ${left.padEnd(code.length)} | ${right.padEnd(width)} |\n`;
  const rows = EXITS.map((exit) => row(String(exit.code), exit.meaning));
  return `## Exit codes\n\n${row(code, meaning)}${row("-".repeat(code.length), "-".repeat(width))}${rows.join("")}`;
}

async function nounText({ name, summary, http, load }: Noun): Promise<string> {
  const { verbs } = await load();
  const [first] = verbs;
  const isSingle = first !== undefined && verbs.length === 1 && firstWord(first.usage) === name;
  const over = http === undefined ? "" : ` Over HTTP: \`${http}\`.`;
  if (isSingle) return `## \`runtime ${first.usage}\`\n\n${verbText(name, first, over)}`;
  const texts = verbs.map(
    (verb) =>
      `### \`runtime ${name} ${verb.usage}\`\n\n${verbText(`${name} ${firstWord(verb.usage)}`, verb, "")}`,
  );
  return `## \`runtime ${name}\`\n\n${sentence(summary)}${over}\n\n${texts.join("\n")}`;
}

function verbText(command: string, { summary, flags = [], examples }: Verb, more: string): string {
  const own = flags.length === 0 ? "" : `\nOptions:\n\n${options(flags)}`;
  const shape = `\nOutput: ${shapeText(OUTPUTS[command] ?? "")}\n`;
  const lines = examples.map((example) => `- \`${example}\`\n`);
  return `${sentence(summary)}${more}\n${own}${shape}\nExamples:\n\n${lines.join("")}`;
}

/** The fields as code, and what follows them. */
function shapeText(output: string): string {
  const [fields = ""] = /^\[?\{[^}]*\}\]?/.exec(output) ?? [];
  return fields === "" ? `${output}.` : `\`${fields}\`${output.slice(fields.length)}.`;
}

function options(flags: readonly { flag: string; meaning: string }[]): string {
  return flags.map(({ flag, meaning }) => `- \`${flag}\`: ${escaped(meaning)}\n`).join("");
}
