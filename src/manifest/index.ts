// A project's configuration as one document.
export type { Applied, Change, ExportedManifest, Manifest } from "./schema";
export { Manifests } from "./service";
