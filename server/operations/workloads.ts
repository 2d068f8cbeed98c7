// Administration of workloads. Not part of the published contract.
import { pageOf } from "../../src/base/schema";
import { WorkloadCreateRequest, WorkloadResponse } from "../../src/identity/schema";
import { operation } from "./operation";

const tag = "Administration";

export const workloadOperations = [
  operation("GET", "/v1/admin/workloads", {
    id: "workloads-list",
    credential: ["admin"],
    extension: true,
    tag,
    summary: "List the workloads of the project, whose own tokens are accepted in place of a key",
    success: { status: 200, schema: pageOf(WorkloadResponse) },
    errors: [401, 403, 500],
    handle: ({ runtime, principal }) => runtime.identity.workloads.list(principal),
  }),
  operation("POST", "/v1/admin/workloads", {
    id: "workloads-create",
    credential: ["admin"],
    extension: true,
    tag,
    summary: "Accept the tokens of a workload by their issuer, audience and subject",
    body: WorkloadCreateRequest,
    success: { status: 201, schema: WorkloadResponse },
    errors: [400, 401, 403, 409, 413, 415, 500],
    handle: ({ runtime, principal, body }) => runtime.identity.workloads.create(principal, body),
  }),
  operation("GET", "/v1/admin/workloads/{id}", {
    id: "workloads-get",
    etag: "record",
    credential: ["admin"],
    extension: true,
    tag,
    summary: "Get a workload",
    success: { status: 200, schema: WorkloadResponse },
    errors: [400, 401, 403, 404, 500],
    handle: ({ runtime, principal, path }) => runtime.identity.workloads.get(principal, path("id")),
  }),
  operation("DELETE", "/v1/admin/workloads/{id}", {
    id: "workloads-delete",
    credential: ["admin"],
    extension: true,
    tag,
    summary: "Delete a workload; its tokens stop working at once",
    success: { status: 204 },
    errors: [400, 401, 403, 404, 500],
    handle: ({ runtime, principal, path }) => runtime.identity.workloads.delete(principal, path("id")),
  }),
];
