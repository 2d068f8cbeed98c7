// Administration of language models. Not part of the published contract.
import { Type } from "typebox";
import { wholePage } from "../../src/base";
import { pageOf } from "../../src/base/schema";
import {
  ModelEntryCreateRequest,
  ModelEntryPatchRequest,
  ModelEntryResponse,
} from "../../src/llm/model-schema";
import { operation } from "./operation";

const tag = "Administration";
const RunnableToolsRecord = Type.Object({ tools: Type.Enum(["all", "read_only"]) });

export const modelEntryOperations = [
  operation("GET", "/v1/admin/model_entries", {
    id: "model-entries-list",
    credential: ["admin", "read"],
    extension: true,
    tag,
    summary: "List the model entries of the project, without their keys",
    success: { status: 200, schema: pageOf(ModelEntryResponse) },
    errors: [401, 403, 500],
    handle: async ({ runtime, principal }) => wholePage(await runtime.models.list(principal)),
  }),
  operation("POST", "/v1/admin/model_entries", {
    id: "model-entries-create",
    credential: ["admin"],
    extension: true,
    tag,
    summary: "Create a model entry",
    body: ModelEntryCreateRequest,
    success: { status: 201, schema: ModelEntryResponse },
    errors: [400, 401, 403, 409, 413, 415, 500],
    handle: ({ runtime, principal, body }) => runtime.models.create(principal, body),
  }),
  operation("GET", "/v1/admin/model_entries/{id}", {
    id: "model-entries-get",
    etag: "record",
    credential: ["admin", "read"],
    extension: true,
    tag,
    summary: "Get a model entry, without its key",
    success: { status: 200, schema: ModelEntryResponse },
    errors: [400, 401, 403, 404, 500],
    handle: ({ runtime, principal, path }) => runtime.models.show(principal, path("id")),
  }),
  operation("PATCH", "/v1/admin/model_entries/{id}", {
    id: "model-entries-update",
    credential: ["admin"],
    extension: true,
    tag,
    summary: "Change a model entry",
    body: ModelEntryPatchRequest,
    success: { status: 200, schema: ModelEntryResponse },
    errors: [400, 401, 403, 404, 409, 413, 415, 500],
    handle: ({ runtime, principal, path, body }) => runtime.models.update(principal, path("id"), body),
  }),
  operation("DELETE", "/v1/admin/model_entries/{id}", {
    id: "model-entries-delete",
    credential: ["admin"],
    extension: true,
    tag,
    summary: "Delete a model entry",
    success: { status: 204 },
    errors: [400, 401, 403, 404, 409, 500],
    handle: ({ runtime, principal, path }) => runtime.models.delete(principal, path("id")),
  }),
  operation("GET", "/v1/admin/settings/runnable_tools", {
    id: "runnable-tools-get",
    credential: ["admin", "read"],
    extension: true,
    tag,
    summary: "Get which tools chat completions may run",
    success: { status: 200, schema: RunnableToolsRecord },
    errors: [401, 403, 500],
    handle: async ({ runtime, principal }) => ({
      tools: await runtime.models.runnableTools(principal.projectId),
    }),
  }),
  operation("PUT", "/v1/admin/settings/runnable_tools", {
    id: "runnable-tools-update",
    credential: ["admin"],
    extension: true,
    tag,
    summary: "Set which tools chat completions may run",
    body: RunnableToolsRecord,
    success: { status: 200, schema: RunnableToolsRecord },
    errors: [400, 401, 403, 413, 415, 500],
    handle: async ({ runtime, principal, body }) => {
      await runtime.models.setRunnableTools(principal, body.tools);
      return { tools: await runtime.models.runnableTools(principal.projectId) };
    },
  }),
];
