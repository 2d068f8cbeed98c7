// `runtime version`.
import { version as number } from "../../package.json";
import { type Noun, verb } from "../command";
import { print } from "../output";

export const version: Noun = {
  name: "version",
  summary: "print the version",
  verbs: [
    verb({
      usage: "version",
      summary: "Print the version.",
      examples: ["runtime --version", "runtime version -o json"],
      read: () => ({}),
      run: async (io, { output }) => print(io, output, { version: number }, () => `${number}\n`),
    }),
  ],
};
