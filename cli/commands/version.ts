// `runtime version`.
import { VERSION } from "../../src/version";
import { verb } from "../command";
import { printRecord } from "../output";

export const verbs = [
  verb({
    usage: "version",
    summary: "Print the version, with the commit and its date, and the platform.",
    examples: ["runtime --version", "runtime version -o json"],
    read: () => ({}),
    run: async (io, common) => {
      const { version, commit, build_date } = VERSION;
      const platform = `${process.platform}-${process.arch}`;
      printRecord(
        io,
        common,
        { ...VERSION, platform, bun: Bun.version },
        {
          name: () => version,
          columns: [],
          optional: ["commit", "build_date"],
          lines: () => [
            ["version", version],
            ["commit", commit ?? "none: started from its sources"],
            ["build date", build_date],
            ["platform", platform],
            ["bun", Bun.version],
          ],
        },
      );
    },
  }),
];
