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
import { routed } from "./routing";

const tag = "Gateways";
const parameters = { org_id: ChosenId, project_id: ChosenId };

export const gatewayOperations = [
  operation({
    ...routed("project-gateways-list"),
    tag,
    summary: "List the gateways of the project",
    parameters,
    query: Type.Object(pagingQuery),
    success: { status: 200, schema: pageOf(GatewayResponse) },
    errors: [400, 401, 403, 500],
    handle: ({ runtime, principal, query }) => runtime.gateways.list(principal, paging(query)),
  }),
  operation({
    ...routed("project-gateways-create"),
    tag,
    summary: "Create a gateway: an address at which MCP clients find a set of tools",
    parameters,
    body: CreateGatewayRequest,
    success: { status: 201, schema: GatewayResponse },
    errors: [400, 401, 403, 409, 413, 415, 500],
    remembersAnswer: true,
    handle: ({ runtime, principal, body }) => runtime.gateways.create(principal, body),
  }),
  operation({
    ...routed("project-gateways-slug-info"),
    tag,
    summary: "Ask whether a slug is available",
    parameters,
    body: SlugInfoRequest,
    success: { status: 200, schema: SlugInfoResponse },
    errors: [400, 401, 403, 413, 415, 500],
    handle: ({ runtime, body }) => runtime.gateways.slugInfo(body.slug),
  }),
  operation({
    ...routed("project-gateways-get"),
    tag,
    summary: "Get a gateway",
    parameters,
    success: { status: 200, schema: GatewayResponse },
    errors: [400, 401, 403, 404, 500],
    handle: ({ runtime, principal, path }) => runtime.gateways.get(principal, path("gateway_id")),
  }),
  operation({
    ...routed("project-gateways-replace"),
    tag,
    summary: "Replace a gateway: what is not given returns to its default, but for the slug",
    parameters,
    body: UpdateGatewayRequest,
    success: { status: 200, schema: GatewayResponse },
    errors: [400, 401, 403, 404, 413, 415, 500],
    handle: ({ runtime, principal, path, body }) =>
      runtime.gateways.replace(principal, path("gateway_id"), body),
  }),
  operation({
    ...routed("project-gateways-update"),
    tag,
    summary: "Change a gateway",
    parameters,
    body: PatchGatewayRequest,
    success: { status: 200, schema: GatewayResponse },
    errors: [400, 401, 403, 404, 413, 415, 500],
    handle: ({ runtime, principal, path, body }) =>
      runtime.gateways.patch(principal, path("gateway_id"), body),
  }),
  operation({
    ...routed("project-gateways-delete"),
    tag,
    summary: "Delete a gateway; its slug is free at once",
    parameters,
    success: { status: 204 },
    errors: [400, 401, 403, 404, 500],
    handle: ({ runtime, principal, path }) => runtime.gateways.delete(principal, path("gateway_id")),
  }),
];
