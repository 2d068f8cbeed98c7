// `runtime audit`: the record of administrative changes.
import type { AuditEntryRecord, AuditFilter, AuditPage } from "../../src/audit";
import { operation, withClient, withDataFolder } from "../client/client";
import { type Common, defined, verb } from "../command";
import type { Io } from "../io";
import { printList, type Shape } from "../output";
import { newest, WINDOW_FLAGS } from "../pages";

const listAudit = operation<[filter: AuditFilter], AuditPage>({
  direct: async ({ runtime, principal, checked }, filter) => {
    const { AuditQuery } = await import("../../src/audit/schema");
    return runtime.trail.audit(principal, checked(AuditQuery, filter, "query"));
  },
  remote: (server, filter) => server.get("/v1/admin/audit", { ...filter }),
});

const SHAPE: Shape<AuditEntryRecord> = {
  name: ({ id }) => id,
  optional: ["details"],
  columns: [
    { title: "time", value: ({ time }) => time },
    { title: "who", value: ({ actor }) => actor },
    { title: "action", value: ({ action }) => action },
    { title: "target", value: ({ target }) => target },
    { title: "details", value: ({ details }) => details && JSON.stringify(details) },
  ],
};

export const verbs = [
  verb({
    usage: "list",
    summary: "List administrative changes, newest first.",
    examples: [
      "runtime audit list",
      "runtime audit list --action secret. --limit 100",
      "runtime audit list --actor operator -o ndjson",
    ],
    flags: [
      { flag: "--actor <actor>", meaning: "only changes by this actor: operator, key:ID or user:ID" },
      { flag: "--action <action>", meaning: "only this action, or all actions with this prefix: secret." },
      { flag: "--target <id>", meaning: "only changes of this record" },
      { flag: "--deployment", meaning: "changes that affect all projects; on the data folder only" },
      ...WINDOW_FLAGS,
    ],
    read: (line) => ({
      filter: defined({
        actor: line.text("actor"),
        action: line.text("action"),
        target: line.text("target"),
        before: line.text("before"),
      }),
      limit: line.integer("limit", 1),
      deployment: line.has("deployment"),
    }),
    run: list,
  }),
];

interface ListAudit {
  filter: AuditFilter;
  limit: number | undefined;
  deployment: boolean;
}

async function list(io: Io, common: Common, { filter, limit, deployment }: ListAudit): Promise<void> {
  const show = async (page: (window: AuditFilter) => Promise<AuditPage>): Promise<void> => {
    const { items, more } = await newest((window) => page({ ...filter, ...window }), limit, filter.before);
    printList(io, common, items, SHAPE, "No such entries.");
    if (more !== undefined) io.note(`For older entries: --before ${more}`);
  };
  if (!deployment) return withClient(io, common, (client) => show((window) => listAudit(client, window)));
  await withDataFolder(io, common, "audit list --deployment", ({ runtime, principal }) =>
    show((window) => runtime.trail.deploymentAudit(principal, window)),
  );
}
