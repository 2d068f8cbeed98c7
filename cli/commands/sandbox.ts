// `runtime sandbox`.
import { refuseServer } from "../client/client";
import { verb } from "../command";
import { UsageError } from "../errors";

export const verbs = [
  verb({
    usage: "sandbox",
    summary:
      "Try everything without an account and without a network: a server with stand-ins of all platforms, a language model and " +
      "an MCP server, on this machine only. It prints keys, three commands to try and an entry for MCP clients. The first line " +
      "on standard error is its address. It keeps its data between starts, in a folder of its own (--data-dir).",
    examples: ["runtime sandbox", "runtime sandbox --port 9200 -o json", "runtime sandbox --reset"],
    flags: [
      {
        flag: "--port <port>",
        meaning: "port of the server; 0 selects a free one (default: that of the last start, or 9099)",
      },
      { flag: "--reset", meaning: "delete the data of earlier starts first" },
    ],
    read: (line) => ({ port: line.integer("port", 0), reset: line.has("reset") }),
    run: async (io, common, options) => {
      refuseServer(common, "sandbox");
      const foreign = [
        ["--config", common.config],
        ["--project", common.project],
      ].find(([, value]) => value !== undefined);
      if (foreign !== undefined)
        throw new UsageError(
          `runtime sandbox has a configuration of its own and does not take ${foreign[0]}.`,
        );
      if (options.port !== undefined && options.port > 65_535)
        throw new UsageError("--port takes a number from 0 to 65535.");
      return (await import("../sandbox/run")).runSandbox(io, common, options);
    },
  }),
];
