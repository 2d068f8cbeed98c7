// `runtime audit`: who changed what.
import type { AuditEntryRecord, AuditFilter, AuditPage } from "../../src/audit";
import { withClient, withDataFolder } from "../client/client";
import { listAudit } from "../client/trail";
import { type Common, given, type Noun, verb } from "../command";
import type { Io } from "../io";
import { printList, type Shape } from "../output";
import { newest, WINDOW_FLAGS } from "../newest";

export const audit: Noun = {
  name: "audit",
  summary: "who changed what",
  verbs: [
    verb({
      usage: "list",
      summary: "List administrative changes, the newest first.",
      examples: [
        "runtime audit list",
        "runtime audit list --action secret. --limit 100",
        "runtime audit list --actor operator -o ndjson",
      ],
      flags: [
        { flag: "--actor <actor>", meaning: "only by this one: operator, key:ID or user:ID" },
        { flag: "--action <action>", meaning: "only this action, or actions that begin so: secret." },
        { flag: "--target <id>", meaning: "only on this record" },
        { flag: "--deployment", meaning: "what concerns all projects; on the data folder only" },
        ...WINDOW_FLAGS,
      ],
      read: (line) => ({
        filter: given({
          actor: line.text("actor"),
          action: line.text("action"),
          target: line.text("target"),
          before: line.text("before"),
        }),
        limit: line.integer("limit", 1),
        deployment: line.given("deployment"),
      }),
      run: list,
    }),
  ],
};

const SHAPE: Shape<AuditEntryRecord> = {
  name: ({ id }) => id,
  optional: ["details"],
  columns: [
    { title: "time", value: ({ time }) => time },
    { title: "who", value: ({ actor }) => actor },
    { title: "action", value: ({ action }) => action },
    { title: "target", value: ({ target }) => target },
    {
      title: "details",
      value: ({ details }) => (details === undefined ? undefined : JSON.stringify(details)),
    },
  ],
};

interface ListAudit {
  filter: AuditFilter;
  limit: number | undefined;
  deployment: boolean;
}

async function list(io: Io, common: Common, { filter, limit, deployment }: ListAudit): Promise<void> {
  const show = async (page: (window: AuditFilter) => Promise<AuditPage>): Promise<void> => {
    const { items, more } = await newest((window) => page({ ...filter, ...window }), limit, filter.before);
    printList(io, common, items, SHAPE, "There are no such entries.");
    if (more !== undefined) io.note(`There are older ones: --before ${more}`);
  };
  if (!deployment) return withClient(io, common, (client) => show((window) => listAudit(client, window)));
  await withDataFolder(io, common, "audit list --deployment", ({ runtime, principal }) =>
    show((window) => runtime.trail.deploymentAudit(principal, window)),
  );
}
