// `runtime export`: a project's configuration as one document.
import type { ExportedManifest } from "../../src/manifest";
import { clientVerb, operation } from "../client/client";
import { print } from "../output";

const exportManifest = operation<[], ExportedManifest>({
  direct: ({ runtime, principal }) => runtime.manifests.export(principal),
  remote: (server) => server.get("/v1/admin/manifest"),
});

export const verbs = [
  clientVerb({
    usage: "export",
    summary:
      "Write providers, names of secrets, settings, gateways, plugins, hooks and model entries as one YAML document (JSON " +
      "with -o json), for runtime apply. It contains no secret values, only the names of variables to take them from.",
    examples: ["runtime export > project.yaml", "runtime export --project sales -o json"],
    read: () => ({}),
    run: async ({ io, common: { output }, client }) => {
      const format = output === "table" || output === "name" ? "yaml" : output;
      print(io, format, await exportManifest(client), () => "");
    },
  }),
];
