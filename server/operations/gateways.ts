// Administration of gateways. Their addresses name organization and project.
import { paging, pageOf, pagingQuery } from "../../src/base";
import {
  CreateGatewayRequest,
  GatewayResponse,
  PatchGatewayRequest,
  SlugInfoRequest,
  SlugInfoResponse,
  UpdateGatewayRequest,
} from "../../src/gateways";
import { ChosenId } from "../../src/identity";
import { Type } from "typebox";
import { operation } from "./operation";

const tag = "Gateways";
const PREFIX = "/v1/orgs/{org_id}/projects/{project_id}/gateways";
const parameters = { org_id: ChosenId, project_id: ChosenId };

export const gatewayOperations = [
  operation({
    id: "project-gateways-list",
    method: "GET",
    path: PREFIX,
    tag,
    summary: "List the gateways of the project",
    credential: ["admin", "read"],
    parameters,
    query: Type.Object(pagingQuery),
    success: { status: 200, schema: pageOf(GatewayResponse) },
    errors: [400, 401, 403, 500],
    handle: ({ runtime, principal, query }) => runtime.gateways.list(principal, paging(query)),
  }),
  operation({
    id: "project-gateways-create",
    method: "POST",
    path: PREFIX,
    tag,
    summary: "Create a gateway: an address at which MCP clients find a set of tools",
    credential: ["admin"],
    parameters,
    body: CreateGatewayRequest,
    success: { status: 201, schema: GatewayResponse },
    errors: [400, 401, 403, 409, 413, 415, 500],
    remembersAnswer: true,
    handle: ({ runtime, principal, body }) => runtime.gateways.create(principal, body),
  }),
  operation({
    id: "project-gateways-slug-info",
    method: "POST",
    path: `${PREFIX}/slug`,
    tag,
    summary: "Ask whether a slug is available",
    credential: ["admin"],
    parameters,
    body: SlugInfoRequest,
    success: { status: 200, schema: SlugInfoResponse },
    errors: [400, 401, 403, 413, 415, 500],
    handle: ({ runtime, body }) => runtime.gateways.slugInfo(body.slug),
  }),
  operation({
    id: "project-gateways-get",
    method: "GET",
    path: `${PREFIX}/{gateway_id}`,
    tag,
    summary: "Get a gateway",
    credential: ["admin", "read"],
    parameters,
    success: { status: 200, schema: GatewayResponse },
    errors: [400, 401, 403, 404, 500],
    handle: ({ runtime, principal, path }) => runtime.gateways.get(principal, path("gateway_id")),
  }),
  operation({
    id: "project-gateways-replace",
    method: "PUT",
    path: `${PREFIX}/{gateway_id}`,
    tag,
    summary: "Replace a gateway: what is not given returns to its default, but for the slug",
    credential: ["admin"],
    parameters,
    body: UpdateGatewayRequest,
    success: { status: 200, schema: GatewayResponse },
    errors: [400, 401, 403, 404, 413, 415, 500],
    handle: ({ runtime, principal, path, body }) =>
      runtime.gateways.replace(principal, path("gateway_id"), body),
  }),
  operation({
    id: "project-gateways-update",
    method: "PATCH",
    path: `${PREFIX}/{gateway_id}`,
    tag,
    summary: "Change a gateway",
    credential: ["admin"],
    parameters,
    body: PatchGatewayRequest,
    success: { status: 200, schema: GatewayResponse },
    errors: [400, 401, 403, 404, 413, 415, 500],
    handle: ({ runtime, principal, path, body }) =>
      runtime.gateways.patch(principal, path("gateway_id"), body),
  }),
  operation({
    id: "project-gateways-delete",
    method: "DELETE",
    path: `${PREFIX}/{gateway_id}`,
    tag,
    summary: "Delete a gateway; its slug is free at once",
    credential: ["admin"],
    parameters,
    success: { status: 204 },
    errors: [400, 401, 403, 404, 500],
    handle: ({ runtime, principal, path }) => runtime.gateways.delete(principal, path("gateway_id")),
  }),
];
