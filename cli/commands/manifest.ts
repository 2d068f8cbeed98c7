// `runtime export` and `runtime apply`: a project's configuration as one document.
import type { Applied, Change } from "../../src/manifest";
import { withClient } from "../client/client";
import { applyManifest, exportManifest } from "../client/manifest";
import { type Common, type Noun, verb } from "../command";
import type { Io } from "../io";
import { withProgress } from "../progress";
import { print, printList, type Shape } from "../output";
import { printable } from "../printable";

export const exportNoun: Noun = {
  name: "export",
  summary: "write the project's configuration as one document",
  verbs: [
    verb({
      usage: "export",
      summary:
        "Write providers, names of secrets, settings, gateways, plugins, hooks and model entries as one YAML document (or JSON with " +
        "-o json), for runtime apply. Values of secrets never come out: the document names variables to take them from.",
      examples: ["runtime export > project.yaml", "runtime export --project sales -o json"],
      read: () => ({}),
      run: write,
    }),
  ],
};

export const apply: Noun = {
  name: "apply",
  summary: "create and change what a document names",
  verbs: [
    verb({
      usage: "apply",
      summary:
        "Create and change what a document (YAML or JSON) names, and leave everything else alone. A value is written " +
        "as NAME_from: {env: VARIABLE} or {file: PATH}; an unset variable means: as it is.",
      examples: [
        "runtime apply -f project.yaml --dry-run",
        "runtime apply -f project.yaml",
        "runtime export --project sales | runtime apply -f - --project sales-test",
      ],
      flags: [
        { flag: "-f, --file <file>", meaning: "the document, or - for standard input" },
        { flag: "--dry-run", meaning: "only say what would change" },
      ],
      read: (line) => ({ file: line.needed("file"), dryRun: line.given("dry-run") }),
      run: change,
    }),
  ],
};

async function write(io: Io, common: Common): Promise<void> {
  await withClient(io, common, async (client) => {
    const format = common.output === "table" || common.output === "name" ? "yaml" : common.output;
    print(io, format, await exportManifest(client), () => "");
  });
}

const SHAPE: Shape<Change> = {
  name: ({ kind, name }) => `${kind}/${name}`,
  optional: ["fields"],
  columns: [
    { title: "change", value: ({ action }) => action },
    { title: "kind", value: ({ kind }) => kind },
    { title: "name", value: ({ name }) => name },
    { title: "fields", value: ({ fields }) => fields?.join(" ") },
  ],
};

async function change(
  io: Io,
  common: Common,
  { file, dryRun }: { file: string; dryRun: boolean },
): Promise<void> {
  const { readDocument } = await import("../document");
  const document = await readDocument(io, file);
  await withClient(io, common, async (client) => {
    const applied = await withProgress(io, "Applying", applyManifest(client, document, dryRun));
    printList(io, common, applied.changes, SHAPE, "The document names nothing.");
    io.note(summaryOf(applied));
    for (const one of applied.missing ?? []) io.note(`Missing: ${printable(one)}`);
  });
}

function summaryOf({ applied, changes }: Applied): string {
  const made = changes.filter(({ action }) => action !== "unchanged").length;
  const rest = changes.length - made;
  return applied
    ? `${made} changed, ${rest} as they were.`
    : `${made} would change, ${rest} stay as they are.`;
}
