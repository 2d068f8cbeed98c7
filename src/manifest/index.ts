// A project's configuration as one document.
export {
  type Applied,
  ApplyQuery,
  ApplyResponse,
  type Change,
  type ExportedManifest,
  type Manifest,
  ManifestRequest,
  ManifestResponse,
} from "./schema";
export { Manifests } from "./service";
