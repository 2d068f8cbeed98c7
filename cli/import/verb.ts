// The command line of `runtime workers import`.
import { clientVerb } from "../client/client";
import { IMPORTED_CLIENTS } from "../../src/gateways/client-formats";
import { YES } from "../record-verbs";

export const importVerb = clientVerb({
  usage: "import <file>",
  summary:
    "Make workers of the MCP servers in a client's file, with their secrets sealed. Without a terminal it only shows what " +
    "would come, unless --yes is given.",
  examples: [
    "runtime workers import .mcp.json",
    "runtime workers import .mcp.json --rewrite --yes --user alice",
    "runtime workers import ~/.codex/config.toml --rewrite --yes --stdio --user alice",
  ],
  flags: [
    {
      flag: "--client <name>",
      meaning: `whose file it is: ${IMPORTED_CLIENTS.join(", ")} (default: by its name)`,
    },
    {
      flag: "--rewrite",
      meaning: "leave one gateway in the file, and a copy of the earlier file next to it",
    },
    {
      flag: "--gateway <slug>",
      meaning: "with --rewrite: the gateway, created if it is missing (default: imported)",
    },
    { flag: "--user <user>", meaning: "with --rewrite: user to act for (default: the configured user)" },
    {
      flag: "--key-env <variable>",
      meaning: "with --rewrite: variable with the API key (default: RUNTIME_API_KEY)",
    },
    {
      flag: "--stdio",
      meaning: "with --rewrite: the client starts `runtime mcp` instead of calling the server",
    },
    { flag: "--dry-run", meaning: "only show what would come" },
    YES,
  ],
  read: (line) => ({
    path: line.word(0),
    client: line.choice("client", IMPORTED_CLIENTS),
    rewrite: line.has("rewrite"),
    gateway: line.text("gateway"),
    user: line.text("user"),
    keyVariable: line.text("key-env"),
    stdio: line.has("stdio"),
    dryRun: line.has("dry-run"),
    yes: line.has("yes"),
  }),
  run: async (call, flags) => (await import("./run")).importFile(call, flags),
});
