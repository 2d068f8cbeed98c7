// What is wrong with a call, as one sentence for a person at a terminal.
import type { ToolErrorRecord } from "../src/tools/schema";

/** `[KIND] ToolError during execution of tool 'X': ` is for programs that read only the message. */
const PLACE = /^\[\w+\] \w+ during execution of tool '[^']*': /;

/** The message without its prefixes. For an invalid input it names the options: `--message is needed.` */
export function plainMessage({ kind, message }: ToolErrorRecord, tool: string): string {
  const text = message.replace(PLACE, "");
  if (kind !== "TOOL_RUNTIME_BAD_INPUT_VALUE") return text;
  const options = text
    .replace(/^The input is not valid: /, "")
    .replaceAll(
      /(^|; )(\w+)((?:\.\w+)*) (is required|must)/g,
      (_, before: string, name: string, below: string, rule: string) =>
        `${before}--${name}${below} ${rule === "must" ? rule : "is needed"}`,
    );
  return `${options} For all parameters: runtime tools exec ${tool} --help`;
}
