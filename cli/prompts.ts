// Prompts at a terminal. They use standard error, because standard output is for data.
import { printable } from "./printable";

export interface Prompts {
  ask(message: string, suggestion?: string): Promise<string>;
  /** The input is hidden. */
  secret(message: string): Promise<string>;
  confirm(message: string, suggestion: boolean): Promise<boolean>;
}

/** Ctrl-C rejects with an error called `ExitPromptError`. */
export const terminalPrompts: Prompts = {
  ask: async (message, suggestion) => {
    const { input } = await import("@inquirer/prompts");
    const question = {
      message: printable(message),
      ...(suggestion === undefined ? {} : { default: printable(suggestion) }),
    };
    return (await input({ ...question, required: true }, onStandardError())).trim();
  },
  secret: async (message) => {
    const { password } = await import("@inquirer/prompts");
    return password({ message: printable(message), mask: true }, onStandardError());
  },
  confirm: async (message, suggestion) => {
    const { confirm } = await import("@inquirer/prompts");
    return confirm({ message: printable(message), default: suggestion }, onStandardError());
  },
};

// Accessed lazily: `process.stderr` creates a stream, which other commands do not need.
function onStandardError(): { output: NodeJS.WritableStream } {
  return { output: process.stderr };
}
