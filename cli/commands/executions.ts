// `runtime executions`: the execution log.
import type { ExecutionRecord, ExecutionsFilter, ExecutionsPage } from "../../src/audit";
import { clientVerb, operation } from "../client/client";
import { defined } from "../command";
import { printList, type Shape } from "../output";
import { newest, WINDOW_FLAGS } from "../pages";

const listExecutions = operation<[filter: ExecutionsFilter], ExecutionsPage>({
  direct: async ({ runtime, principal, checked }, filter) => {
    const { ExecutionsQuery } = await import("../../src/audit/schema");
    return runtime.trail.executions(principal, checked(ExecutionsQuery, filter, "query"));
  },
  remote: (server, filter) => server.get("/v1/admin/executions", { ...filter }),
});

const SHAPE: Shape<ExecutionRecord> = {
  name: ({ id }) => id,
  optional: ["error_kind"],
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
      printList(io, common, items, SHAPE, "No such runs.");
      if (more !== undefined) io.note(`For older runs: --before ${more}`);
    },
  }),
];
