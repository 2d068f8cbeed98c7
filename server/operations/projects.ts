// The caller's own project and organization. Served for the terminal, not part of the published contract. Projects are
// made and deleted on the data folder only: a key reaches no further than its project.
import { pageOf } from "../../src/base";
import {
  CallerResponse,
  OrganizationResponse,
  ProjectPatchRequest,
  ProjectResponse,
} from "../../src/identity";
import { operation } from "./operation";

const tag = "Administration";

export const projectOperations = [
  operation({
    id: "caller-get",
    extension: true,
    method: "GET",
    path: "/v1/caller",
    tag,
    summary: "Say who is calling",
    credential: ["admin", "run", "read"],
    success: { status: 200, schema: CallerResponse },
    errors: [401, 403, 500],
    handle: ({ runtime, principal }) => runtime.identity.projects.caller(principal),
  }),
  operation({
    id: "organizations-list",
    extension: true,
    method: "GET",
    path: "/v1/admin/organizations",
    tag,
    summary: "List the organization of the project",
    credential: ["admin", "read"],
    success: { status: 200, schema: pageOf(OrganizationResponse) },
    errors: [401, 403, 500],
    handle: ({ runtime, principal }) => runtime.identity.projects.organizations(principal),
  }),
  operation({
    id: "projects-list",
    extension: true,
    method: "GET",
    path: "/v1/admin/projects",
    tag,
    summary: "List the project",
    credential: ["admin", "read"],
    success: { status: 200, schema: pageOf(ProjectResponse) },
    errors: [401, 403, 500],
    handle: ({ runtime, principal }) => runtime.identity.projects.list(principal),
  }),
  operation({
    id: "projects-get",
    extension: true,
    method: "GET",
    path: "/v1/admin/projects/{id}",
    tag,
    summary: "Get the project",
    credential: ["admin", "read"],
    success: { status: 200, schema: ProjectResponse },
    errors: [400, 401, 403, 404, 500],
    handle: ({ runtime, principal, path }) => runtime.identity.projects.get(principal, path("id")),
  }),
  operation({
    id: "projects-update",
    extension: true,
    method: "PATCH",
    path: "/v1/admin/projects/{id}",
    tag,
    summary: "Change name or audience of the project",
    credential: ["admin"],
    body: ProjectPatchRequest,
    success: { status: 200, schema: ProjectResponse },
    errors: [400, 401, 403, 404, 413, 415, 500],
    handle: ({ runtime, principal, path, body }) =>
      runtime.identity.projects.update(principal, path("id"), body),
  }),
];
