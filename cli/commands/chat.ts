// `runtime chat`: a conversation with a model that may use the tools, in the terminal.
import { type Common, type Noun, verb } from "../command";

export const chat: Noun = {
  name: "chat",
  summary: "talk to a language model that uses the tools for you",
  verbs: [
    verb({
      usage: "chat [message]",
      summary:
        "Talk to a model. It may use the tools that are offered: each call is shown, and what writes asks first. " +
        "Without a message: a conversation until /exit. With - the message comes from standard input.",
      examples: [
        "runtime chat",
        "runtime chat Hello --toolkit Chat --toolkit Sheets",
        "runtime chat --model local/llama3 --no-tools - < question.txt",
      ],
      flags: [
        { flag: "--model <name>", meaning: "model, entry, or entry/model; default: the first there is" },
        { flag: "--user <user>", meaning: "user whose grants the tools run with" },
        {
          flag: "--toolkit <name>",
          meaning: "offer the tools of this toolkit; may be repeated",
          repeat: true,
        },
        {
          flag: "--tool <name>",
          meaning: "offer this tool; may be repeated. Default: all that are not deprecated",
          repeat: true,
        },
        { flag: "--no-tools", meaning: "offer no tools" },
        { flag: "--system <text>", meaning: "instructions for the model" },
        { flag: "-y, --yes", meaning: "run tools that write without asking" },
        { flag: "--no-browser", meaning: "only print the address of a consent" },
      ],
      read: (line) => ({
        message: line.optionalWord(0),
        model: line.text("model"),
        user: line.text("user"),
        toolkits: line.texts("toolkit") ?? [],
        tools: line.texts("tool") ?? [],
        offersNone: !line.given("tools"),
        system: line.text("system"),
        yes: line.given("yes"),
        browser: line.given("browser"),
      }),
      run: async (io, common: Common, options) => {
        const { converse } = await import("../conversation");
        return converse(io, common, options);
      },
    }),
  ],
};
