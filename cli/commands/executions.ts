// `runtime executions`: what ran. Inputs and results are not kept.
import type { ExecutionRecord, ExecutionsFilter } from "../../src/audit";
import { withClient } from "../client/client";
import { listExecutions } from "../client/trail";
import { type Common, given, type Noun, verb } from "../command";
import type { Io } from "../io";
import { newest, WINDOW_FLAGS } from "../newest";
import { printList, type Shape } from "../output";

export const executions: Noun = {
  name: "executions",
  summary: "which tools ran, for whom, and how it ended",
  verbs: [
    verb({
      usage: "list",
      summary: "List tool runs, the newest first. Inputs and results are not kept.",
      examples: [
        "runtime executions list",
        "runtime executions list --tool Chat.SendMessage --status failed",
      ],
      flags: [
        { flag: "--tool <name>", meaning: "only of this tool" },
        { flag: "--user <user>", meaning: "only for this user" },
        { flag: "--status <status>", meaning: "completed or failed" },
        ...WINDOW_FLAGS,
      ],
      read: (line) => ({
        filter: given({
          tool: line.text("tool"),
          user_id: line.text("user"),
          status: line.choice("status", ["completed", "failed"]),
          before: line.text("before"),
        }),
        limit: line.integer("limit", 1),
      }),
      run: list,
    }),
  ],
};

const SHAPE: Shape<ExecutionRecord> = {
  name: ({ id }) => id,
  optional: ["error_kind"],
  columns: [
    { title: "time", value: ({ time }) => time },
    { title: "tool", value: ({ tool }) => tool },
    { title: "user", value: ({ user_id }) => user_id },
    { title: "status", value: ({ status }) => status },
    { title: "error", value: ({ error_kind }) => error_kind },
    { title: "ms", value: ({ duration_ms }) => String(Math.round(duration_ms)) },
    { title: "by", value: ({ actor }) => actor },
    { title: "id", value: ({ id }) => id },
  ],
};

interface ListExecutions {
  filter: ExecutionsFilter;
  limit: number | undefined;
}

async function list(io: Io, common: Common, { filter, limit }: ListExecutions): Promise<void> {
  await withClient(io, common, async (client) => {
    const page = (window: ExecutionsFilter) => listExecutions(client, { ...filter, ...window });
    const { items, more } = await newest(page, limit, filter.before);
    printList(io, common, items, SHAPE, "There are no such runs.");
    if (more !== undefined) io.note(`There are older ones: --before ${more}`);
  });
}
