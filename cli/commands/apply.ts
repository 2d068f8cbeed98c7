// `runtime apply`: brings a project to the configuration in a document.
import type { Applied, ApplyOptions, Change } from "../../src/manifest";
import { type Client, operation, withClient } from "../client/client";
import { listPlugins } from "../client/hooks";
import { type Common, verb } from "../command";
import { type ApplyDocument, readDocument } from "../document";
import { EXIT } from "../errors";
import type { Io } from "../io";
import { noteNotInForce } from "../not-in-force";
import { printList, type Shape } from "../output";
import { everyRecord } from "../pages";
import { printable } from "../printable";
import { withProgress } from "../progress";
import { checkConfirmable, YES } from "../record-verbs";

const applyManifest = operation<[document: unknown, options: ApplyOptions], Applied>({
  direct: async ({ served, principal, checked }, document, options) => {
    const { ManifestRequest } = await import("../../src/manifest/schema");
    const manifest = checked(ManifestRequest, document);
    return (await served()).manifests.apply(principal, manifest, options);
  },
  remote: (server, document, { dryRun, prune }) => {
    const query = new URLSearchParams();
    if (dryRun === true) query.set("dry_run", "true");
    if (prune === true) query.set("prune", "true");
    return server.send("POST", `/v1/admin/manifest${query.size === 0 ? "" : `?${query}`}`, document);
  },
});

const SHAPE: Shape<Change> = {
  name: ({ kind, name }) => `${kind}/${name}`,
  optional: ["fields", "differences"],
  columns: [
    { title: "change", value: ({ action }) => action },
    { title: "kind", value: ({ kind }) => kind },
    { title: "name", keep: "always", value: ({ name }) => name },
    { title: "fields", value: ({ differences }) => differences?.map(shownDifference).join(", ") },
  ],
};

const MAX_VALUE_LENGTH = 40;

function shownDifference({ field, before, after }: NonNullable<Change["differences"]>[number]): string {
  // Fields of secrets have no values.
  if (before === undefined && after === undefined) return field;
  return `${field}: ${shownValue(before)} -> ${shownValue(after)}`;
}

function shownValue(value: unknown): string {
  const text = typeof value === "string" ? value : value === null ? "none" : JSON.stringify(value);
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
}

interface Options {
  file: string;
  dryRun: boolean;
  prune: boolean;
  yes: boolean;
  detailed: boolean;
}

export const verbs = [
  verb({
    usage: "apply",
    summary:
      "Create and change the records of a document (YAML or JSON), all or none; others stay unchanged. The document is " +
      "checked first, then the plan is shown. Write a secret value as NAME_from: {env: VARIABLE} or {file: PATH}; if the " +
      "variable is not set, the value stays unchanged.",
    examples: [
      "runtime apply -f project.yaml --dry-run",
      "runtime apply -f project.yaml",
      "runtime apply -f project.yaml --prune",
      "runtime export --project sales | runtime apply -f - --project sales-test --dry-run",
    ],
    flags: [
      { flag: "-f, --file <file>", meaning: "the document, or - for standard input" },
      {
        flag: "--dry-run",
        meaning: "only show what would change, and which files and variables it takes values from",
      },
      {
        flag: "--prune",
        meaning: "delete records that the lists of the document do not contain; asks for confirmation",
      },
      { flag: "--detailed-exitcode", meaning: "exit with 10 if something would change, or was changed" },
      YES,
    ],
    read: (line): Options => ({
      file: line.required("file"),
      dryRun: line.has("dry-run"),
      prune: line.has("prune"),
      yes: line.has("yes"),
      detailed: line.has("detailed-exitcode"),
    }),
    run: async (io, common, options) => {
      if (options.prune && !options.dryRun) checkConfirmable(io, options.yes);
      const document = await readDocument(io, options.file);
      return withClient(io, common, (client) => apply(io, common, client, { ...options, document }));
    },
  }),
];

/** Shows the plan, then makes the changes. Resolves to the exit code. */
async function apply(
  io: Io,
  common: Common,
  client: Client,
  { document, dryRun, prune, yes, detailed }: Options & { document: ApplyDocument },
): Promise<number> {
  if (dryRun) showSources(io, document);
  const filled = document.filled();
  const run = (dry: boolean) =>
    document.locating(() => applyManifest(client, filled, { dryRun: dry, prune }));
  const planned = await withProgress(io, dryRun ? "Planning" : "Applying", run(true));
  // Refuses them all together.
  if (!dryRun && planned.missing !== undefined) await run(false);
  for (const { field, message } of planned.warnings ?? [])
    io.note(`warning: ${document.placeOf(field)}: ${printable(message)}`);
  const isShown = dryRun || common.output === "table";
  if (isShown) showPlan(io, common, planned);
  if (dryRun) {
    io.note(summaryOf(planned));
    for (const each of planned.missing ?? []) io.note(`Missing: ${printable(each)}`);
    return codeOf(planned, detailed);
  }
  const deleted = planned.changes.filter(({ action }) => action === "delete").length;
  if (deleted > 0 && !yes && !(await io.prompts.confirm(`Delete ${deleted} of these records?`, false))) {
    io.note("Nothing was changed.");
    return EXIT.error;
  }
  const applied = await withProgress(io, "Applying", run(false));
  if (!isShown) showPlan(io, common, applied);
  io.note(summaryOf(applied));
  if (applied.changes.some(({ kind }) => kind === "plugin" || kind === "hook"))
    await noteWebhooks(io, client);
  return codeOf(applied, detailed);
}

/** A document may name endpoints without hooks, which looks like a guard and is none. */
async function noteWebhooks(io: Io, client: Client): Promise<void> {
  const plugins = await everyRecord((window) => listPlugins(client, { ...window, binding_type: "project" }));
  for (const plugin of plugins) noteNotInForce(io, plugin);
}

function showPlan(io: Io, common: Common, { changes }: Applied): void {
  printList(io, common, changes, SHAPE, "The document contains no records.");
}

function showSources(io: Io, { sources }: ApplyDocument): void {
  for (const { kind, name, field, exists } of sources) {
    const absent = exists ? "" : kind === "file" ? ", which does not exist" : ", which is not set";
    io.note(`Reads ${kind} ${printable(name)} for ${printable(field)}${absent}.`);
  }
}

function codeOf({ changes }: Applied, detailed: boolean): number {
  const isChanged = changes.some(({ action }) => action !== "unchanged");
  return detailed && isChanged ? EXIT.changes : EXIT.ok;
}

function summaryOf({ applied, changes }: Applied): string {
  const changed = changes.filter(({ action }) => action !== "unchanged").length;
  const rest = changes.length - changed;
  return applied ? `${changed} changed, ${rest} unchanged.` : `${changed} would change, ${rest} unchanged.`;
}
