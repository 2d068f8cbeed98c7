// Blocks of a page as one shell script, which marks in its output where each step begins and how it ended.
import type { Block } from "../../support/blocks";

export interface Step {
  block: Block;
  command: string;
  /** The exit code of the command. */
  code: number;
  /** What it prints: the lines of a console, with `…` for anything. */
  lines?: string[];
}

/** Starts and ends a line about a step in the output. */
const SIGN = "\u001e";

/** The steps of a block; none for one that holds no command. */
export function stepsOf(block: Block): Step[] {
  const { language, text, mark = "" } = block;
  const code = Number(/^exit (\d+)$/.exec(mark)?.[1] ?? 0);
  const file = /^file (\S+)$/.exec(mark)?.[1];
  if (file !== undefined)
    return [{ block, code: 0, command: `cat > '${file}' <<'END OF FILE'\n${text}END OF FILE` }];
  if (["sh", "bash", "shell"].includes(language)) return [{ block, code, command: text.trimEnd() }];
  if (language === "console") return consoleSteps(block);
  if (language === "http") return [{ block, code, command: requestCommand(text) }];
  if (mark === "mcp-client") return [{ block, code: 0, command: entryCommand(text) }];
  if (language === "yaml" && mark === "") return [configurationStep(block)];
  if (language === "yaml" && mark === "document")
    return [
      {
        block,
        code: 0,
        command: `cat > document.yaml <<'END OF FILE'\n${text}END OF FILE\nruntime apply -f document.yaml --dry-run`,
      },
    ];
  return [];
}

/** Lines with `$ ` are commands, those below are what they print. */
function consoleSteps(block: Block): Step[] {
  const steps: Step[] = [];
  for (const line of block.text.trimEnd().split("\n")) {
    const last = steps.at(-1);
    if (line.startsWith("$ ")) steps.push({ block, code: 0, command: line.slice(2), lines: [] });
    else if (line.startsWith("> ") && last !== undefined) last.command += `\n${line.slice(2)}`;
    else last?.lines?.push(line);
  }
  return steps;
}

/** A request as it is on the wire; names of variables in it have their values. Its status is a success. */
function requestCommand(text: string): string {
  const [head = "", ...rest] = text.trimEnd().split("\n\n");
  const [first = "", ...headers] = head.split("\n");
  const [method = "GET", path = "/"] = first.split(" ");
  const body = rest.join("\n\n");
  const flags = headers.map((header) => `-H "${header.replaceAll('"', '\\"')}"`).join(" ");
  const data = body === "" ? "" : ` --data-binary @- <<END_OF_BODY\n${body}\nEND_OF_BODY`;
  return `curl -sS --fail-with-body -X ${method} "$SERVER${path}" ${flags}${data}`;
}

/** A first request as an MCP client with this entry sends it; the address of the page is that in `SERVER`. */
function entryCommand(text: string): string {
  const { mcpServers } = JSON.parse(text) as { mcpServers: Record<string, Entry> };
  const [{ url, headers }] = Object.values(mcpServers) as [Entry];
  const path = new URL(url).pathname;
  const given = {
    ...headers,
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
  };
  const flags = Object.entries(given).map(([name, value]) => `-H "${name}: ${value}"`);
  return `RUNTIME_API_KEY=$RUN_KEY\ncurl -sS --fail-with-body "$SERVER${path}" ${flags.join(" ")} -d '${INITIALIZE}'`;
}

interface Entry {
  url: string;
  headers: Record<string, string>;
}

const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "page", version: "1" } },
});

/** The settings of a file are valid, and known. What it takes from variables has a value. */
function configurationStep(block: Block): Step {
  const variables = [...block.text.matchAll(/\$\{env:(\w+)\}/g)].map(([, name = ""]) => `${name}=value`);
  const command = `cat > settings.yaml <<'END OF FILE'\n${block.text}END OF FILE\nenv ${variables.join(" ")} runtime config show --config settings.yaml > settings.txt`;
  return { block, code: 0, command };
}

/** The script of the steps, `sh -e`. A step that is to fail runs in a shell of its own. */
export function scriptOf(steps: readonly Step[], before: readonly string[] = []): string {
  const parts = steps.map(({ command, code }, index) => {
    const begin = `printf '\\n${SIGN}%s begins${SIGN}\\n' ${index}`;
    const end = `printf '\\n${SIGN}%s ends %s${SIGN}\\n' ${index} "$code"`;
    return code === 0
      ? `${begin}\n${command}\ncode=0\n${end}`
      : `${begin}\nset +e\n(set -e\n${command}\n)\ncode=$?\nset -e\n${end}\n[ "$code" = ${code} ]`;
  });
  return ["set -e", ...before, ...parts, ""].join("\n");
}

export interface Outcome {
  /** What each step printed that began. */
  printed: string[];
  /** The first step that did not end as it should; undefined: all did. */
  failed: Step | undefined;
}

export function outcomeOf(steps: readonly Step[], stdout: string): Outcome {
  const printed: string[] = [];
  let ended = 0;
  for (const part of stdout.split(new RegExp(`\\n${SIGN}(?=\\d+ (?:begins|ends))`)).slice(1)) {
    const [sign = "", text = ""] = [part.slice(0, part.indexOf(SIGN)), part.slice(part.indexOf(SIGN) + 2)];
    const [index = "", what, code] = sign.split(" ");
    if (what === "begins") printed[Number(index)] = text;
    else if (Number(code) === steps[Number(index)]?.code) ended++;
  }
  return { printed, failed: ended === steps.length ? undefined : steps[ended] };
}
