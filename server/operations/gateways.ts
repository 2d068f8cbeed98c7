// Administration of gateways. Their addresses name organization and project.
import { paging } from "../../src/base";
import { pageOf, pagingQuery } from "../../src/base/schema";
import {
  CreateGatewayRequest,
  GatewayResponse,
  PatchGatewayRequest,
  SlugInfoRequest,
  SlugInfoResponse,
  UpdateGatewayRequest,
} from "../../src/gateways/schema";
import { ChosenId } from "../../src/identity/schema";
import { Type } from "typebox";
import { operation } from "./operation";

const tag = "Gateways";
const parameters = { org_id: ChosenId, project_id: ChosenId };

export const gatewayOperations = [
  operation("GET", "/v1/orgs/{org_id}/projects/{project_id}/gateways", {
    id: "project-gateways-list",
    credential: ["admin", "read"],
    tag,
    summary: "List the gateways of the project",
    parameters,
    query: Type.Object(pagingQuery),
    success: { status: 200, schema: pageOf(GatewayResponse) },
    errors: [400, 401, 403, 500],
    handle: ({ runtime, principal, query }) => runtime.gateways.list(principal, paging(query)),
  }),
  operation("POST", "/v1/orgs/{org_id}/projects/{project_id}/gateways", {
    id: "project-gateways-create",
    credential: ["admin"],
    tag,
    summary: "Create a gateway: an MCP address with a set of tools",
    parameters,
    body: CreateGatewayRequest,
    success: { status: 201, schema: GatewayResponse },
    errors: [400, 401, 403, 409, 413, 415, 500],
    remembersAnswer: true,
    handle: ({ runtime, principal, body }) => runtime.gateways.create(principal, body),
  }),
  operation("POST", "/v1/orgs/{org_id}/projects/{project_id}/gateways/slug", {
    id: "project-gateways-slug-info",
    credential: ["admin"],
    tag,
    summary: "Check whether a slug is available",
    parameters,
    body: SlugInfoRequest,
    success: { status: 200, schema: SlugInfoResponse },
    errors: [400, 401, 403, 413, 415, 500],
    handle: ({ runtime, body }) => runtime.gateways.slugInfo(body.slug),
  }),
  operation("GET", "/v1/orgs/{org_id}/projects/{project_id}/gateways/{gateway_id}", {
    id: "project-gateways-get",
    etag: "record",
    credential: ["admin", "read"],
    tag,
    summary: "Get a gateway",
    parameters,
    success: { status: 200, schema: GatewayResponse },
    errors: [400, 401, 403, 404, 500],
    handle: ({ runtime, principal, path }) => runtime.gateways.get(principal, path("gateway_id")),
  }),
  operation("PUT", "/v1/orgs/{org_id}/projects/{project_id}/gateways/{gateway_id}", {
    id: "project-gateways-replace",
    credential: ["admin"],
    tag,
    summary: "Replace a gateway; fields that are not given return to their defaults, except the slug",
    parameters,
    body: UpdateGatewayRequest,
    success: { status: 200, schema: GatewayResponse },
    errors: [400, 401, 403, 404, 413, 415, 500],
    handle: ({ runtime, principal, path, body }) =>
      runtime.gateways.replace(principal, path("gateway_id"), body),
  }),
  operation("PATCH", "/v1/orgs/{org_id}/projects/{project_id}/gateways/{gateway_id}", {
    id: "project-gateways-update",
    credential: ["admin"],
    tag,
    summary: "Change a gateway",
    parameters,
    body: PatchGatewayRequest,
    success: { status: 200, schema: GatewayResponse },
    errors: [400, 401, 403, 404, 413, 415, 500],
    handle: ({ runtime, principal, path, body }) =>
      runtime.gateways.patch(principal, path("gateway_id"), body),
  }),
  operation("DELETE", "/v1/orgs/{org_id}/projects/{project_id}/gateways/{gateway_id}", {
    id: "project-gateways-delete",
    credential: ["admin"],
    tag,
    summary: "Delete a gateway; its slug is free at once",
    parameters,
    success: { status: 204 },
    errors: [400, 401, 403, 404, 500],
    handle: ({ runtime, principal, path }) => runtime.gateways.delete(principal, path("gateway_id")),
  }),
];
