// The caller's own project and organization. Not part of the published contract. Projects are created and
// deleted in the data folder only, because a key has access to its own project only.
import { pageOf } from "../../src/base/schema";
import {
  CallerResponse,
  OrganizationResponse,
  ProjectPatchRequest,
  ProjectResponse,
} from "../../src/identity/schema";
import { operation } from "./operation";

const tag = "Administration";

export const projectOperations = [
  operation("GET", "/v1/caller", {
    id: "caller-get",
    credential: ["admin", "run", "read"],
    extension: true,
    tag,
    summary: "Get the principal that calls",
    success: { status: 200, schema: CallerResponse },
    errors: [401, 403, 500],
    handle: ({ runtime, principal }) => runtime.identity.projects.caller(principal),
  }),
  operation("GET", "/v1/admin/organizations", {
    id: "organizations-list",
    credential: ["admin", "read"],
    extension: true,
    tag,
    summary: "List the organization of the project",
    success: { status: 200, schema: pageOf(OrganizationResponse) },
    errors: [401, 403, 500],
    handle: ({ runtime, principal }) => runtime.identity.projects.organizations(principal),
  }),
  operation("GET", "/v1/admin/projects", {
    id: "projects-list",
    credential: ["admin", "read"],
    extension: true,
    tag,
    summary: "List the project",
    success: { status: 200, schema: pageOf(ProjectResponse) },
    errors: [401, 403, 500],
    handle: ({ runtime, principal }) => runtime.identity.projects.list(principal),
  }),
  operation("GET", "/v1/admin/projects/{id}", {
    id: "projects-get",
    credential: ["admin", "read"],
    extension: true,
    tag,
    summary: "Get the project",
    success: { status: 200, schema: ProjectResponse },
    errors: [400, 401, 403, 404, 500],
    handle: ({ runtime, principal, path }) => runtime.identity.projects.get(principal, path("id")),
  }),
  operation("PATCH", "/v1/admin/projects/{id}", {
    id: "projects-update",
    credential: ["admin"],
    extension: true,
    tag,
    summary: "Change name, audience or sign-in of the project",
    body: ProjectPatchRequest,
    success: { status: 200, schema: ProjectResponse },
    errors: [400, 401, 403, 404, 413, 415, 500],
    handle: ({ runtime, principal, path, body }) =>
      runtime.identity.projects.update(principal, path("id"), body),
  }),
];
