// Administration of language models. Served for the terminal, not part of the published contract.
import { Type } from "typebox";
import { pageOf, wholePage } from "../../src/base";
import { ModelEntryCreateRequest, ModelEntryPatchRequest, ModelEntryResponse } from "../../src/llm";
import { operation } from "./operation";

const tag = "Administration";
const ENTRIES = "/v1/admin/model_entries";
const RunnableToolsRecord = Type.Object({ tools: Type.Enum(["all", "read_only"]) });

export const modelEntryOperations = [
  operation({
    id: "model-entries-list",
    extension: true,
    method: "GET",
    path: ENTRIES,
    tag,
    summary: "List the model entries of the project, without their keys",
    credential: ["admin", "read"],
    success: { status: 200, schema: pageOf(ModelEntryResponse) },
    errors: [401, 403, 500],
    handle: async ({ runtime, principal }) => wholePage(await runtime.models.list(principal)),
  }),
  operation({
    id: "model-entries-create",
    extension: true,
    method: "POST",
    path: ENTRIES,
    tag,
    summary: "Create a model entry",
    credential: ["admin"],
    body: ModelEntryCreateRequest,
    success: { status: 201, schema: ModelEntryResponse },
    errors: [400, 401, 403, 409, 413, 415, 500],
    handle: ({ runtime, principal, body }) => runtime.models.create(principal, body),
  }),
  operation({
    id: "model-entries-get",
    extension: true,
    method: "GET",
    path: `${ENTRIES}/{id}`,
    tag,
    summary: "Get a model entry, without its key",
    credential: ["admin", "read"],
    success: { status: 200, schema: ModelEntryResponse },
    errors: [400, 401, 403, 404, 500],
    handle: ({ runtime, principal, path }) => runtime.models.show(principal, path("id")),
  }),
  operation({
    id: "model-entries-update",
    extension: true,
    method: "PATCH",
    path: `${ENTRIES}/{id}`,
    tag,
    summary: "Change a model entry",
    credential: ["admin"],
    body: ModelEntryPatchRequest,
    success: { status: 200, schema: ModelEntryResponse },
    errors: [400, 401, 403, 404, 409, 413, 415, 500],
    handle: ({ runtime, principal, path, body }) => runtime.models.update(principal, path("id"), body),
  }),
  operation({
    id: "model-entries-delete",
    extension: true,
    method: "DELETE",
    path: `${ENTRIES}/{id}`,
    tag,
    summary: "Delete a model entry",
    credential: ["admin"],
    success: { status: 204 },
    errors: [400, 401, 403, 404, 409, 500],
    handle: ({ runtime, principal, path }) => runtime.models.delete(principal, path("id")),
  }),
  operation({
    id: "runnable-tools-get",
    extension: true,
    method: "GET",
    path: "/v1/admin/settings/runnable_tools",
    tag,
    summary: "Say which tools chat completions may run",
    credential: ["admin", "read"],
    success: { status: 200, schema: RunnableToolsRecord },
    errors: [401, 403, 500],
    handle: async ({ runtime, principal }) => ({
      tools: await runtime.models.runnableTools(principal.projectId),
    }),
  }),
  operation({
    id: "runnable-tools-update",
    extension: true,
    method: "PUT",
    path: "/v1/admin/settings/runnable_tools",
    tag,
    summary: "Say which tools chat completions may run from now on",
    credential: ["admin"],
    body: RunnableToolsRecord,
    success: { status: 200, schema: RunnableToolsRecord },
    errors: [400, 401, 403, 413, 415, 500],
    handle: async ({ runtime, principal, body }) => {
      await runtime.models.setRunnableTools(principal, body.tools);
      return { tools: await runtime.models.runnableTools(principal.projectId) };
    },
  }),
];
