// `runtime scheduled`: runs that were scheduled with `tools exec --run-at`.
import type { Page } from "../../src/base";
import type { ToolExecution, ToolExecutionDetail } from "../../src/tools";
import { clientVerb, operation } from "../client/client";
import { path } from "../client/http";
import { defined } from "../command";
import { printList, printRecord, type Shape } from "../output";
import { showVerb } from "../record-verbs";

/** Servers look for due runs four times a second. */
const OVERDUE_MS = 60_000;

const listScheduled = operation<[window: { limit?: number; offset?: number }], Page<ToolExecution>>({
  direct: ({ runtime, principal }, window) => runtime.tools.scheduled.list(principal, window),
  remote: (server, window) => server.get("/v1/scheduled_tools", { ...window }),
});

const getScheduled = operation<[id: string], ToolExecutionDetail>({
  direct: ({ runtime, principal }, id) => runtime.tools.scheduled.get(principal, id),
  remote: (server, id) => server.get(path("/v1/scheduled_tools/", id)),
});

const cancelScheduled = operation<[id: string], ToolExecutionDetail>({
  direct: ({ runtime, principal }, id) => runtime.tools.scheduled.cancel(principal, id),
  remote: (server, id) => server.send("POST", `${path("/v1/scheduled_tools/", id)}/cancel`),
});

const SHAPE: Shape<ToolExecution> = {
  name: ({ id }) => id,
  optional: ["started_at", "finished_at"],
  columns: [
    { title: "run at", keep: "whole", value: ({ run_at }) => run_at },
    { title: "tool", keep: "always", value: ({ toolkit_name, tool_name }) => `${toolkit_name}.${tool_name}` },
    { title: "user", keep: "always", value: ({ user_id }) => user_id },
    { title: "status", keep: "whole", value: statusOf },
    { title: "id", keep: "always", value: ({ id }) => id },
  ],
};

const DETAIL: Shape<ToolExecutionDetail> = {
  ...SHAPE,
  lines: (run) => [
    ["id", run.id],
    ["tool", `${run.toolkit_name}.${run.tool_name}@${run.toolkit_version}`],
    ["user", run.user_id],
    ["status", statusOf(run)],
    ["run at", run.run_at],
    ["started", run.started_at],
    ["finished", run.finished_at],
    ["input", JSON.stringify(run.input)],
    ...run.attempts.map((attempt, index) => [`attempt ${index + 1}`, outcomeOf(attempt)] as const),
  ],
};

export const verbs = [
  clientVerb({
    usage: "list",
    summary: "List scheduled runs, newest first.",
    examples: ["runtime scheduled list", "runtime scheduled list --limit 100 -o json"],
    flags: [
      { flag: "--limit <n>", meaning: "how many to show, at most 100 (default: 25)" },
      { flag: "--offset <n>", meaning: "how many to skip" },
    ],
    read: (line) => defined({ limit: line.integer("limit", 1), offset: line.integer("offset", 0) }),
    run: async ({ io, common, client }, window) => {
      const { items, offset, total_count } = await listScheduled(client, window);
      printList(io, common, items, SHAPE, "There are no scheduled runs.");
      const next = offset + items.length;
      if (items.length > 0 && next < total_count) io.note(`For older runs: --offset ${next}`);
    },
  }),
  showVerb({
    summary: "Show one scheduled run with its input and its attempts.",
    examples: ['runtime scheduled show "$(runtime scheduled list --limit 1 -o name)"'],
    find: getScheduled,
    shape: DETAIL,
  }),
  clientVerb({
    usage: "cancel <id>",
    summary: "Cancel a scheduled run that has not begun, or that waits for its next attempt.",
    examples: ['runtime scheduled cancel "$(runtime scheduled list --limit 1 -o name)"'],
    read: (line) => ({ id: line.word(0) }),
    run: async ({ io, common, client }, { id }) => {
      printRecord(io, common, await cancelScheduled(client, id), DETAIL);
      io.note("The run is cancelled. It begins no attempt any more.");
    },
  }),
];

/** Marks a run whose time has passed: no server is running, or all are busy. */
function statusOf({ execution_status, run_at }: ToolExecution): string {
  const overdue = execution_status === "pending" && Date.parse(run_at) < Date.now() - OVERDUE_MS;
  return overdue ? "pending (overdue)" : execution_status;
}

/** The outcome of an attempt, in one line. */
function outcomeOf({
  success,
  finished_at,
  output,
  system_error_message: reason,
}: ToolExecutionDetail["attempts"][number]): string {
  if (finished_at === undefined) return "running";
  if (success) return `succeeded: ${JSON.stringify(output?.value ?? null)}`;
  return `failed: ${reason ?? output?.error?.message ?? "for an unknown reason"}`;
}
