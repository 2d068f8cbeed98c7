// `runtime audit`: the record of administrative changes.
import type {
  AuditEntryRecord,
  AuditFilter,
  AuditPage,
  Problem,
  SignedHead,
  Verification,
} from "../../src/audit";
import { findEntry, listAudit } from "../client/audit";
import { withClient, withDataFolder } from "../client/client";
import { type Common, defined, type Line, verb } from "../command";
import { counted } from "../counted";
import { EXIT } from "../errors";
import { readText } from "../input";
import type { Io } from "../io";
import { columnLines, json, print, printDeleted, printList, type Shape } from "../output";
import { printable } from "../printable";
import { withProgress } from "../progress";
import { newest, WINDOW_FLAGS } from "../pages";
import { showVerb } from "../record-verbs";
import { zonedTime } from "../times";

const SHAPE: Shape<AuditEntryRecord> = {
  name: ({ id }) => id,
  optional: ["details", "address"],
  columns: [
    { title: "time", keep: "whole", value: ({ time }) => time },
    { title: "who", keep: "always", value: ({ actor }) => actor },
    { title: "action", keep: "always", value: ({ action }) => action },
    { title: "target", keep: "always", value: ({ target }) => target },
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
  showVerb({
    summary: "Show one entry.",
    examples: ['runtime audit show "$(runtime audit list --limit 1 -o name)"'],
    find: findEntry,
    shape: {
      ...SHAPE,
      lines: (entry) => [
        ["id", entry.id],
        ["number", String(entry.number)],
        ...columnLines(SHAPE.columns, entry),
        ["result", entry.result],
        ["address", entry.address],
        ["hash", entry.hash],
      ],
    },
  }),
  verb({
    usage: "export",
    summary:
      "Print the entries as one JSON object in each line, oldest first, for a SIEM. The last line on standard error names " +
      "the entry after which the next export continues.",
    examples: [
      "runtime audit export --since 2027-01-01T00:00:00Z",
      'runtime audit export --after "$(runtime audit list --limit 1 -o name)"',
      "runtime audit export --deployment",
    ],
    flags: [
      { flag: "--since <time>", meaning: "only entries from this time on (RFC 3339)" },
      { flag: "--after <id>", meaning: "only entries newer than this one" },
      { flag: "--action <action>", meaning: "only this action, or all actions with this prefix: secret." },
      { flag: "--deployment", meaning: "changes that affect all projects; on the data folder only" },
    ],
    read: (line) => ({
      filter: defined({
        since: sinceOf(line),
        after: line.text("after"),
        action: line.text("action"),
      }),
      deployment: line.has("deployment"),
    }),
    run: exportAll,
  }),
  verb({
    usage: "forget-user <user>",
    summary:
      "Erase a user from the audit trail of the project: its entries remain, and no longer tell who it was. On the data " +
      "folder only.",
    examples: [
      "runtime audit forget-user alice@example.com",
      "runtime audit forget-user alice --project sales",
    ],
    read: (line) => ({ user: line.word(0) }),
    run: (io, common, { user }) =>
      withDataFolder(io, common, "audit forget-user", async ({ runtime, principal }) => {
        const forgotten = await runtime.inspection.forgetUser(principal, user);
        printDeleted(io, common, user, forgotten);
        io.note(
          forgotten
            ? "The user was erased from the audit trail."
            : "The audit trail does not name this user.",
        );
      }),
  }),
  verb({
    usage: "verify",
    summary:
      "Check every row of the audit trail against its hash chain, and print the signed head of each chain. With --head, " +
      "also find rows that were removed or replaced since. Exits 1 if anything is wrong. On the data folder only.",
    examples: [
      "runtime audit verify",
      "runtime audit verify --head heads.ndjson",
      "runtime audit verify -o json",
    ],
    flags: [
      {
        flag: "--head <file>",
        meaning: "signed heads that were kept elsewhere, one JSON object in each line; -: standard input",
      },
    ],
    read: (line) => ({ head: line.text("head") }),
    run: verify,
  }),
  verb({
    usage: "heads",
    summary: "Print the signed head of each chain, to be kept elsewhere. On the data folder only.",
    examples: ["runtime audit heads -o ndjson"],
    read: () => ({}),
    run: (io, common) =>
      withDataFolder(io, common, "audit heads", async ({ runtime }) =>
        printList(io, common, await runtime.inspection.heads(), HEAD_SHAPE, "The audit trail is empty."),
      ),
  }),
  verb({
    usage: "public-key",
    summary: "Print the public key of the signatures as PEM. On the data folder only.",
    examples: ["runtime audit public-key"],
    read: () => ({}),
    run: (io, common) =>
      withDataFolder(io, common, "audit public-key", async ({ runtime }) => {
        const public_key = runtime.inspection.publicKey();
        print(io, common.output, { public_key }, () => public_key);
      }),
  }),
];

function sinceOf(line: Line): string | undefined {
  const text = line.text("since");
  return text === undefined ? undefined : new Date(zonedTime(text, "--since")).toISOString();
}

const EXPORTED_AT_ONCE = 100;

const HEAD_SHAPE: Shape<SignedHead> = {
  name: ({ chain, number }) => `${chain}:${number}`,
  columns: [
    { title: "project", keep: "always", value: ({ chain }) => chainName(chain) },
    { title: "rows", value: ({ number }) => String(number) },
    { title: "hash", value: ({ hash }) => hash },
    { title: "key", keep: "whole", value: ({ key_id }) => key_id },
  ],
};

function chainName(chain: string): string {
  return chain === "" ? "(installation)" : chain;
}

interface ExportAudit {
  filter: AuditFilter;
  deployment: boolean;
}

async function exportAll(io: Io, common: Common, { filter, deployment }: ExportAudit): Promise<void> {
  const all = async (page: (window: AuditFilter) => Promise<AuditPage>): Promise<void> => {
    let after = filter.after;
    for (;;) {
      const { items, next } = await page({
        ...filter,
        ...defined({ after }),
        order: "oldest",
        limit: EXPORTED_AT_ONCE,
      });
      printList(io, { ...common, output: "ndjson" }, items, SHAPE, "");
      after = items.at(-1)?.id ?? after;
      if (next === undefined) break;
    }
    io.note(after === undefined ? "There are no entries." : `Continue with --after ${after}`);
  };
  if (!deployment) return withClient(io, common, (client) => all((window) => listAudit(client, window)));
  await withDataFolder(io, common, "audit export --deployment", ({ runtime, principal }) =>
    all((window) => runtime.trail.deploymentAudit(principal, window)),
  );
}

async function verify(io: Io, common: Common, { head }: { head: string | undefined }): Promise<number> {
  const kept = head === undefined ? undefined : await readText(io, head, "--head");
  return withDataFolder(io, common, "audit verify", async ({ runtime }) => {
    const { inspection } = runtime;
    const verification = await withProgress(io, "Verifying", inspection.verify(kept));
    const heads = await inspection.heads();
    if (common.output === "table" || common.output === "name")
      printList(io, common, heads, HEAD_SHAPE, "The audit trail is empty.");
    else print(io, common.output, { heads, ...verification }, () => json(verification));
    return conclude(io, verification);
  });
}

function conclude(io: Io, { chains, problems, problem_count }: Verification): number {
  const rows = chains.reduce((sum, chain) => sum + chain.rows, 0);
  for (const problem of problems) io.note(`${io.notePaint.red("problem")}  ${lineOf(problem)}`);
  if (problem_count > problems.length)
    io.note(`… and ${counted(problem_count - problems.length, "more problem")}.`);
  const checked = `${counted(rows, "row")} in ${counted(chains.length, "chain")}`;
  io.note(
    problem_count === 0
      ? io.notePaint.green(`The audit trail is intact (${checked}).`)
      : `The audit trail has ${counted(problem_count, "problem")} (${checked}).`,
  );
  return problem_count === 0 ? EXIT.ok : EXIT.error;
}

function lineOf({ chain, number, id, problem }: Problem): string {
  const place = `${chainName(chain)} ${number === 0 ? "" : `row ${number}`}${id === "" ? "" : ` (${id})`}`;
  return printable(`${place}: ${problem}`);
}

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
