// `runtime workloads`: jobs of other platforms, whose own tokens are accepted in place of an API key.
import type { Workload } from "../../src/identity";
import { clientVerb } from "../client/client";
import { workloadId } from "../client/named";
import { createWorkload, deleteWorkload, getWorkload, listWorkloads } from "../client/workloads";
import { defined } from "../command";
import { columnLines, printRecord, type Shape } from "../output";
import { deleteVerb, listVerb, showVerb } from "../record-verbs";
import type { Column } from "../table";

const COLUMNS: readonly Column<Workload>[] = [
  { title: "id", keep: "always", value: ({ id }) => id },
  { title: "name", value: ({ name }) => name },
  { title: "issuer", value: ({ issuer }) => issuer },
  { title: "audience", value: ({ audience }) => audience },
  { title: "subject", value: ({ subject }) => subject },
  { title: "role", keep: "whole", value: ({ role }) => role },
  { title: "users", value: ({ users }) => users?.join(",") ?? "any" },
  { title: "created", keep: "whole", value: ({ created_at }) => created_at },
  { title: "last used", keep: "whole", value: ({ last_used_at }) => last_used_at ?? "never" },
];

const SHAPE: Shape<Workload> = {
  name: ({ id }) => id,
  optional: ["users", "last_used_at"],
  columns: COLUMNS,
  lines: (record) => columnLines(COLUMNS, record),
};

export const verbs = [
  listVerb({
    summary: "List the workloads of the project.",
    examples: ["runtime workloads list", "runtime workloads list -o json"],
    find: async (client) => (await listWorkloads(client)).items,
    shape: SHAPE,
    empty: "There are no workloads yet. See: runtime workloads create --help",
  }),
  showVerb({
    summary: "Show one workload, by its id or name.",
    examples: ["runtime workloads show deploy"],
    find: async (client, given) => getWorkload(client, await workloadId(client, given)),
    shape: SHAPE,
  }),
  clientVerb({
    usage: "create <name>",
    summary:
      "Accept the tokens that a platform gives to its own jobs, in place of an API key. All three claims must be exactly " +
      "these; in the subject, one * between : and / is any text without : and /.",
    examples: [
      "runtime workloads create deploy --issuer https://token.actions.githubusercontent.com " +
        "--audience https://runtime.example.com --subject repo:acme/app:ref:refs/heads/main --user alice",
      "runtime workloads create jobs --issuer https://oidc.example.com/cluster " +
        "--audience https://runtime.example.com --subject 'system:serviceaccount:agents:*'",
    ],
    flags: [
      { flag: "--issuer <url>", meaning: "the claim iss of the tokens; its keys are read there" },
      { flag: "--audience <text>", meaning: "the claim aud of the tokens" },
      { flag: "--subject <pattern>", meaning: "the claim sub of the tokens" },
      { flag: "--role <role>", meaning: "admin, run, read, verify or metrics (default: run)" },
      {
        flag: "--user <user>",
        meaning: "user that the workload may act for; may be repeated (default: any)",
        repeat: true,
      },
    ],
    read: (line) => ({
      name: line.word(0),
      issuer: line.required("issuer"),
      audience: line.required("audience"),
      subject: line.required("subject"),
      role: line.choice("role", ["admin", "run", "read", "verify", "metrics"]),
      users: line.texts("user"),
    }),
    run: async ({ io, common, client }, request) => {
      printRecord(io, common, await createWorkload(client, defined(request)), SHAPE);
      io.note("Its jobs send their token as: Authorization: Bearer TOKEN");
    },
  }),
  deleteVerb({
    summary: "Delete a workload. Its tokens stop working at once.",
    examples: ["runtime workloads delete deploy"],
    find: async (client, given) => {
      const id = await workloadId(client, given);
      const { name, role } = await getWorkload(client, id);
      return {
        id,
        name: id,
        question: `Delete the workload ${name} (${role})? Its tokens stop working at once.`,
        done: `The workload ${id} is deleted.`,
      };
    },
    remove: deleteWorkload,
  }),
];
