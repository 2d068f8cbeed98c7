// A project's configuration as one document. Not part of the published contract.
import { refuseUnknownNames } from "../../src/manifest";
import { ApplyQuery, ApplyResponse, ManifestRequest, ManifestResponse } from "../../src/manifest/schema";
import { operation } from "./operation";

const tag = "Administration";

export const manifestOperations = [
  operation("GET", "/v1/admin/manifest", {
    id: "manifest-get",
    credential: ["admin"],
    extension: true,
    tag,
    summary: "Export the project's configuration, without the values of secrets",
    success: { status: 200, schema: ManifestResponse },
    errors: [401, 403, 500],
    audited: true,
    handle: ({ runtime, principal }) => runtime.manifests.export(principal),
  }),
  operation("POST", "/v1/admin/manifest", {
    id: "manifest-apply",
    credential: ["admin"],
    extension: true,
    tag,
    summary: "Create and change the records in the document, all or none; only prune deletes others",
    query: ApplyQuery,
    body: ManifestRequest,
    refuses: refuseUnknownNames,
    success: { status: 200, schema: ApplyResponse },
    errors: [400, 401, 403, 404, 409, 413, 415, 500],
    handle: ({ runtime, principal, query, body }) =>
      runtime.manifests.apply(principal, body, { dryRun: query.dry_run, prune: query.prune }),
  }),
];
