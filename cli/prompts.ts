// Questions to a person at a terminal. They stand on standard error, so that standard output stays data.

export interface Prompts {
  ask(message: string, proposal?: string): Promise<string>;
  /** Not shown while it is typed. */
  secret(message: string): Promise<string>;
  confirm(message: string, proposal: boolean): Promise<boolean>;
}

/** Ctrl-C rejects with an error called `ExitPromptError`. */
export const terminalPrompts: Prompts = {
  ask: async (message, proposal) => {
    const { input } = await import("@inquirer/prompts");
    const question = { message, ...(proposal === undefined ? {} : { default: proposal }) };
    return (await input({ ...question, required: true }, onStandardError())).trim();
  },
  secret: async (message) => {
    const { password } = await import("@inquirer/prompts");
    return password({ message, mask: true }, onStandardError());
  },
  confirm: async (message, proposal) => {
    const { confirm } = await import("@inquirer/prompts");
    return confirm({ message, default: proposal }, onStandardError());
  },
};

// Asked for late: looking at `process.stderr` makes a stream of it, which no other command needs.
function onStandardError(): { output: NodeJS.WritableStream } {
  return { output: process.stderr };
}
