// `runtime version`.
import { version } from "../../package.json";
import { build } from "../../src/build";
import { verb } from "../command";
import { printRecord } from "../output";

export const verbs = [
  verb({
    usage: "version",
    summary: "Print the version, with the commit and its date, and the platform.",
    examples: ["runtime --version", "runtime version -o json"],
    read: () => ({}),
    run: async (io, common) => {
      const platform = `${process.platform}-${process.arch}`;
      printRecord(
        io,
        common,
        { version, ...build, platform, bun: Bun.version },
        {
          name: () => version,
          columns: [],
          optional: ["commit", "date"],
          lines: () => [
            ["version", version],
            ["commit", build?.commit ?? "none: started from its sources"],
            ["date", build?.date],
            ["platform", platform],
            ["bun", Bun.version],
          ],
        },
      );
    },
  }),
];
