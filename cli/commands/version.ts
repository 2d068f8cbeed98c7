// `runtime version`.
import { version } from "../../package.json";
import { verb } from "../command";
import { print } from "../output";

export const verbs = [
  verb({
    usage: "version",
    summary: "Print the version.",
    examples: ["runtime --version", "runtime version -o json"],
    read: () => ({}),
    run: async (io, { output }) => print(io, output, { version }, () => `${version}\n`),
  }),
];
