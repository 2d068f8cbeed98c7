// A project's configuration as one document, on the data folder and over HTTP.
import type { Applied, ExportedManifest } from "../../src/manifest";
import { capability } from "./client";

const MANIFEST = "/v1/admin/manifest";

export const exportManifest = capability<[], ExportedManifest>({
  direct: ({ runtime, principal }) => runtime.manifests.export(principal),
  remote: (server) => server.get(MANIFEST),
});

export const applyManifest = capability<[document: unknown, dryRun: boolean], Applied>({
  direct: async ({ runtime, principal, checked, server }, document, dryRun) => {
    const { ManifestRequest } = await import("../../src/manifest/schema");
    const manifest = checked(ManifestRequest, document);
    await server();
    return runtime.manifests.apply(principal, manifest, dryRun);
  },
  remote: (server, document, dryRun) =>
    server.send("POST", dryRun ? `${MANIFEST}?dry_run=true` : MANIFEST, document),
});
