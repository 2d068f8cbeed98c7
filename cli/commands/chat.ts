// `runtime chat`: a conversation at the terminal with a model that can use the tools.
import { verb } from "../command";

export const verbs = [
  verb({
    usage: "chat [message]",
    summary:
      "Talk to a model. It may use the offered tools: each call is shown, and a call that writes needs your approval. " +
      "Without a message, the conversation continues until /exit. With - the message is read from standard input.",
    examples: [
      "runtime chat",
      "runtime chat Hello --toolkit Chat --toolkit Sheets",
      "runtime chat --model local/llama3 --no-tools - < question.txt",
    ],
    flags: [
      { flag: "--model <name>", meaning: "model, entry, or entry/model (default: the first one)" },
      { flag: "--user <user>", meaning: "user with whose grants the tools run" },
      { flag: "--toolkit <name>", meaning: "offer the tools of this toolkit; may be repeated", repeat: true },
      {
        flag: "--tool <name>",
        meaning: "offer this tool; may be repeated (default: all that are not deprecated)",
        repeat: true,
      },
      { flag: "--no-tools", meaning: "offer no tools" },
      { flag: "--system <text>", meaning: "instructions for the model" },
      { flag: "-y, --yes", meaning: "do not ask for confirmation before a tool that writes" },
      { flag: "--no-browser", meaning: "only print the address of a consent" },
    ],
    read: (line) => ({
      message: line.optionalWord(0),
      model: line.text("model"),
      user: line.text("user"),
      toolkits: line.texts("toolkit") ?? [],
      tools: line.texts("tool") ?? [],
      offersNone: !line.has("tools"),
      system: line.text("system"),
      yes: line.has("yes"),
      browser: line.has("browser"),
    }),
    run: async (io, common, options) => {
      const { converse } = await import("../conversation");
      return converse(io, common, options);
    },
  }),
];
