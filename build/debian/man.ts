// The manual page runtime(1), from the same rows as the help of the commands.
import type { FlagSpec, Noun, Verb } from "../../cli/command";
import { nouns } from "../../cli/nouns";
import { commonFlags } from "../../cli/program";

interface Page {
  version: string;
  date: Date;
}

/** The source of the page, for man(7). */
export async function manualPage({ version, date }: Page): Promise<string> {
  const day = date.toISOString().slice(0, 10);
  const commands = await Promise.all(nouns.map(commandsOf));
  return [
    `.TH RUNTIME 1 "${day}" "runtime ${text(version)}" "User Commands"`,
    section("NAME", "runtime \\- control and execution plane of an agent runtime"),
    section("SYNOPSIS", ".B runtime\n.RI [ options ]\n.I command\n.RI [ words ]"),
    section("DESCRIPTION", text(DESCRIPTION)),
    section("OPTIONS", commonFlags().map(option).join("\n")),
    section("COMMANDS", commands.join("\n")),
    section("ENVIRONMENT", text(ENVIRONMENT)),
    section("FILES", FILES.map(([path, meaning]) => `.TP\n.I ${text(path)}\n${text(meaning)}`).join("\n")),
    section("EXIT STATUS", text("0 if the command succeeded. runtime help lists the other codes.")),
    "",
  ].join("\n");
}

const DESCRIPTION =
  "runtime runs tools for agents: it keeps the grants of users, and serves an HTTP interface, MCP gateways and chat " +
  "completions. Without a command it shows what to do next. runtime COMMAND --help explains a command with examples.";

const ENVIRONMENT =
  "Every setting can be a variable: the setting a.b is RUNTIME_A_B. RUNTIME_CONFIG is the path of the configuration file. " +
  "Programs that supervise the server set NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID (see sd_notify(3)).";

const FILES = [
  ["/etc/runtime/runtime.yaml", "Settings of the service."],
  ["/etc/runtime/root.key", "The root key of the encryption at rest. Keep a copy of it apart from backups."],
  ["/var/lib/runtime", "Data of the service."],
] as const;

async function commandsOf({ name, load }: Noun): Promise<string> {
  const { verbs } = await load();
  return verbs.map((verb) => command(name, verb)).join("\n");
}

function command(noun: string, { usage, summary, flags = [] }: Verb): string {
  const isWhole = usage.split(" ", 1)[0] === noun;
  const line = isWhole ? usage : `${noun} ${usage}`;
  return [`.TP\n.B runtime ${text(line)}`, text(summary), ...flags.map(nested)].join("\n");
}

function option({ flag, meaning }: FlagSpec): string {
  return `.TP\n.B ${text(flag)}\n${text(meaning)}`;
}

function nested(flag: FlagSpec): string {
  return `.RS\n${option(flag)}\n.RE`;
}

function section(title: string, body: string): string {
  return `.SH ${title}\n${body}`;
}

/** Text without meaning for the formatter: no escapes, no requests, hyphens that can be searched for. */
function text(value: string): string {
  return value.replaceAll("\\", "\\e").replaceAll("-", "\\-").replaceAll(/^[.']/gm, "\\&$&");
}
