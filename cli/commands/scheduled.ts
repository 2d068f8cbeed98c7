// `runtime scheduled`: runs that were asked for ahead of time (`tools exec --run-at`).
import type { ToolExecution, ToolExecutionDetail } from "../../src/tools";
import { withClient } from "../client/client";
import { getScheduled, listScheduled, type ScheduledFilter } from "../client/scheduled";
import { type Common, given, type Noun, verb } from "../command";
import type { Io } from "../io";
import { printList, printRecord, type Shape } from "../output";

export const scheduled: Noun = {
  name: "scheduled",
  summary: "runs for a later time: list, show",
  verbs: [
    verb({
      usage: "list",
      summary: "List scheduled runs, the newest first.",
      examples: ["runtime scheduled list", "runtime scheduled list --limit 100 -o json"],
      flags: [
        { flag: "--limit <n>", meaning: "how many, at most 100 (default: 25)" },
        { flag: "--offset <n>", meaning: "how many to skip" },
      ],
      read: (line) => given({ limit: line.integer("limit", 1), offset: line.integer("offset", 0) }),
      run: list,
    }),
    verb({
      usage: "show <id>",
      summary: "Show one scheduled run with its input and its attempts.",
      examples: ["runtime scheduled show te_01jb2q8x5t9v7w3y4z6k8m0n1p"],
      read: (line) => ({ id: line.word(0) }),
      run: show,
    }),
  ],
};

const OPTIONAL = ["started_at", "finished_at"];

const SHAPE: Shape<ToolExecution> = {
  name: ({ id }) => id,
  optional: OPTIONAL,
  columns: [
    { title: "run at", value: ({ run_at }) => run_at },
    { title: "tool", value: ({ toolkit_name, tool_name }) => `${toolkit_name}.${tool_name}` },
    { title: "user", value: ({ user_id }) => user_id },
    { title: "status", value: ({ execution_status }) => execution_status },
    { title: "id", value: ({ id }) => id },
  ],
};

async function list(io: Io, common: Common, filter: ScheduledFilter): Promise<void> {
  await withClient(io, common, async (client) => {
    const { items, offset, total_count } = await listScheduled(client, filter);
    printList(io, common, items, SHAPE, "There are no scheduled runs.");
    const next = offset + items.length;
    if (items.length > 0 && next < total_count) io.note(`There are older ones: --offset ${next}`);
  });
}

async function show(io: Io, common: Common, { id }: { id: string }): Promise<void> {
  await withClient(io, common, async (client) => {
    const run = await getScheduled(client, id);
    const shape: Shape<ToolExecutionDetail> = { name: SHAPE.name, optional: OPTIONAL, columns: [] };
    printRecord(io, common, run, shape, [
      ["id", run.id],
      ["tool", `${run.toolkit_name}.${run.tool_name}@${run.toolkit_version}`],
      ["user", run.user_id],
      ["status", run.execution_status],
      ["run at", run.run_at],
      ["started", run.started_at],
      ["finished", run.finished_at],
      ["input", JSON.stringify(run.input)],
      ...run.attempts.map((attempt, index) => [`attempt ${index + 1}`, told(attempt)] as const),
    ]);
  });
}

/** What came of an attempt, in one line. */
function told({
  success,
  finished_at,
  output,
  system_error_message: reason,
}: ToolExecutionDetail["attempts"][number]): string {
  if (finished_at === undefined) return "runs";
  if (success) return `succeeded: ${JSON.stringify(output?.value ?? null)}`;
  return `failed: ${reason ?? output?.error?.message ?? "for a reason that was not told"}`;
}
