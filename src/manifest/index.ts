// A project's configuration as one document.
export type { Applied, Change, ExportedManifest, Manifest } from "./schema";
export { type ApplyOptions, Manifests, refuseUnknownNames } from "./service";
