// `runtime apply`: brings a project to the configuration in a document.
import type { Applied, Change } from "../../src/manifest";
import { operation, withClient } from "../client/client";
import { verb } from "../command";
import { readDocument } from "../document";
import { printList, type Shape } from "../output";
import { printable } from "../printable";
import { withProgress } from "../progress";

const applyManifest = operation<[document: unknown, dryRun: boolean], Applied>({
  direct: async ({ served, principal, checked }, document, dryRun) => {
    const { ManifestRequest } = await import("../../src/manifest/schema");
    const manifest = checked(ManifestRequest, document);
    return (await served()).manifests.apply(principal, manifest, dryRun);
  },
  remote: (server, document, dryRun) =>
    server.send("POST", `/v1/admin/manifest${dryRun ? "?dry_run=true" : ""}`, document),
});

const SHAPE: Shape<Change> = {
  name: ({ kind, name }) => `${kind}/${name}`,
  optional: ["fields"],
  columns: [
    { title: "change", value: ({ action }) => action },
    { title: "kind", value: ({ kind }) => kind },
    { title: "name", keep: "always", value: ({ name }) => name },
    { title: "fields", value: ({ fields }) => fields?.join(" ") },
  ],
};

export const verbs = [
  verb({
    usage: "apply",
    summary:
      "Create and change the records of a document (YAML or JSON); all others stay unchanged. Write a secret value as " +
      "NAME_from: {env: VARIABLE} or {file: PATH}; if the variable is not set, the value stays unchanged.",
    examples: [
      "runtime apply -f project.yaml --dry-run",
      "runtime apply -f project.yaml",
      "runtime export --project sales | runtime apply -f - --project sales-test",
    ],
    flags: [
      { flag: "-f, --file <file>", meaning: "the document, or - for standard input" },
      { flag: "--dry-run", meaning: "only show what would change" },
    ],
    read: (line) => ({ file: line.required("file"), dryRun: line.has("dry-run") }),
    run: async (io, common, { file, dryRun }) => {
      const document = await readDocument(io, file);
      await withClient(io, common, async (client) => {
        const applied = await withProgress(io, "Applying", applyManifest(client, document, dryRun));
        printList(io, common, applied.changes, SHAPE, "The document contains no records.");
        io.note(summaryOf(applied));
        for (const missing of applied.missing ?? []) io.note(`Missing: ${printable(missing)}`);
      });
    },
  }),
];

function summaryOf({ applied, changes }: Applied): string {
  const changed = changes.filter(({ action }) => action !== "unchanged").length;
  const rest = changes.length - changed;
  return applied ? `${changed} changed, ${rest} unchanged.` : `${changed} would change, ${rest} unchanged.`;
}
