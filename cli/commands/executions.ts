// `runtime executions`: the execution log.
import type { ExecutionRecord, ExecutionsFilter, ExecutionsPage } from "../../src/audit";
import { nearest } from "../../src/base/nearest";
import { type Client, clientVerb, operation } from "../client/client";
import { path } from "../client/http";
import { getTool } from "../client/tools";
import { defined } from "../command";
import { columnLines, printList, type Shape } from "../output";
import { newest, WINDOW_FLAGS } from "../pages";
import { showVerb } from "../record-verbs";
import { unknownName } from "../unknown-name";

const listExecutions = operation<[filter: ExecutionsFilter], ExecutionsPage>({
  direct: async ({ runtime, principal, checked }, filter) => {
    const { ExecutionsQuery } = await import("../../src/audit/schema");
    return runtime.trail.executions(principal, checked(ExecutionsQuery, filter, "query"));
  },
  remote: (server, filter) => server.get("/v1/admin/executions", { ...filter }),
});

const getExecution = operation<[id: string], ExecutionRecord>({
  direct: ({ runtime, principal }, id) => runtime.trail.execution(principal, id),
  remote: (server, id) => server.get(path("/v1/admin/executions/", id)),
});

const SHAPE: Shape<ExecutionRecord> = {
  name: ({ id }) => id,
  optional: ["error_kind", "hooks"],
  columns: [
    { title: "time", keep: "whole", value: ({ time }) => time },
    { title: "tool", keep: "always", value: ({ tool }) => tool },
    { title: "user", keep: "always", value: ({ user_id }) => user_id },
    { title: "status", keep: "whole", value: ({ status }) => status },
    { title: "error", keep: "whole", value: ({ error_kind }) => error_kind },
    { title: "ms", keep: "whole", value: ({ duration_ms }) => String(Math.round(duration_ms)) },
    { title: "by", value: ({ actor }) => actor },
    { title: "id", keep: "always", value: ({ id }) => id },
  ],
};

export const verbs = [
  clientVerb({
    usage: "list",
    summary: "List tool runs, newest first. Inputs and results are not stored.",
    examples: ["runtime executions list", "runtime executions list --tool Chat.SendMessage --status failed"],
    flags: [
      { flag: "--tool <name>", meaning: "only runs of this tool" },
      { flag: "--user <user>", meaning: "only runs for this user" },
      { flag: "--status <status>", meaning: "completed or failed" },
      ...WINDOW_FLAGS,
    ],
    read: (line) => ({
      filter: defined({
        tool: line.text("tool"),
        user_id: line.text("user"),
        status: line.choice("status", ["completed", "failed"]),
        before: line.text("before"),
      }),
      limit: line.integer("limit", 1),
    }),
    run: async ({ io, common, client }, { filter, limit }) => {
      const page = (window: ExecutionsFilter) => listExecutions(client, { ...filter, ...window });
      const { items, more } = await newest(page, limit, filter.before);
      if (items.length === 0) await checkFilter(client, filter);
      printList(io, common, items, SHAPE, "No such runs.");
      if (more !== undefined) io.note(`For older runs: --before ${more}`);
    },
  }),
  showVerb({
    summary: "Show one tool run, with the decisions of hooks.",
    examples: ['runtime executions show "$(runtime executions list --limit 1 -o name)"'],
    find: getExecution,
    shape: {
      ...SHAPE,
      lines: (run) => [
        ...columnLines(SHAPE.columns, run),
        ["execution", run.execution_id],
        ...(run.hooks ?? []).map(
          ({ hook_id, hook_point, decision, reason = "" }) =>
            ["hook", `${hook_id} at ${hook_point}: ${decision} ${reason}`.trimEnd()] as const,
        ),
      ],
    },
  }),
];

/** Names that belong to nothing are mistakes. Throws `not_found` or `tool_not_found`. */
async function checkFilter(client: Client, { tool, user_id }: ExecutionsFilter): Promise<void> {
  if (tool !== undefined) await getTool(client, tool, {});
  if (user_id === undefined) return;
  const { items } = await listExecutions(client, { limit: 100 });
  const users = [...new Set(items.map((each) => each.user_id))];
  // Only a near name is a mistake: the user may have no runs, or older ones than these.
  if (nearest(user_id, users) !== undefined && !users.includes(user_id))
    throw unknownName("user", user_id, users, "runtime executions list");
}
