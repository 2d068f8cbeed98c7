// Workers: servers whose tools a project offers. Refresh, diff and accept are not part of the published contract.
import { Type } from "typebox";
import { paging } from "../../src/base";
import { pageOf, pagingQuery } from "../../src/base/schema";
import { ToolResponse } from "../../src/tools/schema";
import { RotateIdentityResponse } from "../../src/workers/identity/schema";
import { PreviewWorkerRequest, WorkerPreviewResponse } from "../../src/workers/preview/schema";
import {
  AcceptWorkerRequest,
  CreateWorkerRequest,
  UpdateWorkerRequest,
  WorkerDiffResponse,
  WorkerHealthResponse,
  WorkerResponse,
  WorkerTestRequest,
  WorkerTestResponse,
} from "../../src/workers/schema";
import { refuseProgramInBody } from "../../src/workers/stdio/permission";
import { WorkerAuthorizeQuery, WorkerAuthorizeResponse } from "../../src/workers/schema-oauth";
import { operation } from "./operation";

const tag = "Administration";
const query = Type.Object(pagingQuery);

export const workerOperations = [
  operation("GET", "/v1/workers", {
    id: "workers-list",
    credential: ["admin", "read", "approve"],
    tag,
    summary: "List the workers of the project",
    query,
    success: { status: 200, schema: pageOf(WorkerResponse) },
    errors: [400, 401, 403, 500],
    handle: ({ runtime, principal, query: given }) => runtime.workers.list(principal, given),
  }),
  operation("POST", "/v1/workers", {
    id: "workers-create",
    credential: ["admin"],
    tag,
    summary: "Create a worker and read its catalog",
    body: CreateWorkerRequest,
    refuses: refuseProgramInBody,
    success: { status: 201, schema: WorkerResponse },
    errors: [400, 401, 403, 413, 415, 500],
    remembersAnswer: true,
    slow: true,
    handle: ({ runtime, principal, body }) => runtime.workers.create(principal, body),
  }),
  operation("POST", "/v1/workers/test", {
    id: "workers-test",
    credential: ["admin"],
    tag,
    summary: "Ask a server whether it can be a worker; nothing is stored",
    body: WorkerTestRequest,
    refuses: refuseProgramInBody,
    success: { status: 200, schema: WorkerTestResponse },
    errors: [400, 401, 403, 413, 415, 500],
    slow: true,
    handle: ({ runtime, principal, body }) => runtime.workers.catalogs.test(principal, body),
  }),
  operation("POST", "/v1/workers/preview", {
    id: "workers-preview",
    credential: ["admin"],
    extension: true,
    tag,
    summary: "Find out what an address is and which tools it has; nothing is stored",
    body: PreviewWorkerRequest,
    refuses: refuseProgramInBody,
    success: { status: 200, schema: WorkerPreviewResponse },
    errors: [400, 401, 403, 413, 415, 500],
    slow: true,
    handle: ({ runtime, principal, body }) => runtime.workers.previews.preview(principal, body),
  }),
  operation("GET", "/v1/workers/{id}", {
    id: "workers-get",
    etag: "record",
    credential: ["admin", "read", "approve"],
    tag,
    summary: "Get a worker",
    success: { status: 200, schema: WorkerResponse },
    errors: [400, 401, 403, 404, 500],
    handle: ({ runtime, principal, path }) => runtime.workers.get(principal, path("id")),
  }),
  operation("PATCH", "/v1/workers/{id}", {
    id: "workers-update",
    credential: ["admin"],
    tag,
    summary: "Change a worker",
    body: UpdateWorkerRequest,
    refuses: refuseProgramInBody,
    success: { status: 200, schema: WorkerResponse },
    errors: [400, 401, 403, 404, 413, 415, 500],
    slow: true,
    handle: ({ runtime, principal, path, body }) => runtime.workers.update(principal, path("id"), body),
  }),
  operation("DELETE", "/v1/workers/{id}", {
    id: "workers-delete",
    credential: ["admin"],
    tag,
    summary: "Delete a worker with its catalog",
    success: { status: 204 },
    errors: [400, 401, 403, 404, 500],
    handle: ({ runtime, principal, path }) => runtime.workers.delete(principal, path("id")),
  }),
  operation("GET", "/v1/workers/{id}/authorize", {
    id: "workers-authorize",
    credential: ["admin"],
    tag,
    summary: "Start the consent with which the catalog of a worker is read",
    success: { status: 200, schema: WorkerAuthorizeResponse },
    errors: [400, 401, 403, 404, 500],
    query: WorkerAuthorizeQuery,
    slow: true,
    handle: ({ runtime, principal, path, query: given }) =>
      runtime.workers.authorize(principal, path("id"), given),
  }),
  operation("GET", "/v1/workers/{id}/health", {
    id: "workers-health",
    credential: ["admin", "read", "approve"],
    tag,
    summary: "Get whether a worker answers, and what of its catalog is left out",
    success: { status: 200, schema: WorkerHealthResponse },
    errors: [400, 401, 403, 404, 500],
    slow: true,
    handle: ({ runtime, principal, path }) => runtime.workers.catalogs.health(principal, path("id")),
  }),
  operation("GET", "/v1/workers/{id}/tools", {
    id: "workers-tools-list",
    credential: ["admin", "read", "approve"],
    tag,
    summary: "List the accepted tools of a worker",
    query,
    success: { status: 200, schema: pageOf(ToolResponse) },
    errors: [400, 401, 403, 404, 500],
    handle: async ({ runtime, principal, path, query: given }) => {
      const { id } = await runtime.workers.get(principal, path("id"));
      return runtime.tools.listings.ofWorker(principal, id, paging(given));
    },
  }),
  operation("POST", "/v1/identity_keys/rotate", {
    id: "identity-keys-rotate",
    credential: ["admin"],
    extension: true,
    tag,
    summary: "Replace the key that tells workers who calls, at once",
    success: { status: 200, schema: RotateIdentityResponse },
    errors: [400, 401, 403, 500],
    handle: ({ runtime, principal }) => runtime.workers.identityKeys.rotate(principal),
  }),
  operation("POST", "/v1/workers/{id}/refresh", {
    id: "workers-refresh",
    credential: ["admin"],
    extension: true,
    tag,
    summary: "Read the catalog of a worker again",
    success: { status: 200, schema: WorkerResponse },
    errors: [400, 401, 403, 404, 500],
    slow: true,
    handle: ({ runtime, principal, path }) => runtime.workers.catalogs.refresh(principal, path("id")),
  }),
  operation("GET", "/v1/workers/{id}/diff", {
    id: "workers-diff",
    credential: ["admin", "read", "approve"],
    extension: true,
    tag,
    summary: "Compare the accepted tools of a worker with its latest catalog",
    success: { status: 200, schema: WorkerDiffResponse },
    errors: [400, 401, 403, 404, 500],
    handle: ({ runtime, principal, path }) => runtime.workers.catalogs.diff(principal, path("id")),
  }),
  operation("POST", "/v1/workers/{id}/accept", {
    id: "workers-accept",
    credential: ["admin", "approve"],
    extension: true,
    tag,
    summary: "Accept changes of the catalog of a worker, all or those of the named tools",
    body: AcceptWorkerRequest,
    success: { status: 200, schema: WorkerResponse },
    errors: [400, 401, 403, 404, 409, 413, 415, 500],
    handle: ({ runtime, principal, path, body }) =>
      runtime.workers.catalogs.accept(principal, path("id"), body),
  }),
];
