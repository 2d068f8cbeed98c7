// The blocks of commands that no test runs, with the reason. At most ten in all pages: `test/docs/blocks.test.ts` counts.

export interface NotRun {
  page: string;
  /** The first line of the block. */
  block: string;
  reason: string;
}

export const NOT_RUN: readonly NotRun[] = [
  {
    page: "docs/install.md",
    block: "docker load --input runtime-0.1.0-image-amd64.oci.tar",
    reason:
      "needs a container engine with its daemon; test/release/image.ts runs the image as an engine does, without one",
  },
  {
    page: "docs/performance.md",
    block: "bun run build                       # the executable is measured if it exists",
    reason: "measures for an hour, on a machine that does nothing else; test/bench has tests of its own",
  },
  {
    page: "docs/workers.md",
    block: "runtime workers create https://mcp.example.com/mcp --id crm --register",
    reason:
      "needs an MCP server with an authorization server; test/workers/oauth has both, and test/cli/commands the commands",
  },
];
