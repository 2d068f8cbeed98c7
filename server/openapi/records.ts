// The records by their names in the document. A schema that equals one of them becomes a reference. Every body and answer
// of an operation must be one of them, or a page of one.
import type { TSchema } from "typebox";
import {
  AuthorizationConfirmUserRequest,
  AuthorizationConfirmUserResponse,
  AuthorizationInitiationRequest,
  AuthorizationResponse,
  ValidateCustomVerifierRequest,
  ValidateCustomVerifierResponse,
} from "../../src/authorization/schema";
import { UserAuthProviderConnectionResponse } from "../../src/connections/schema";
import {
  CreateGatewayRequest,
  GatewayResponse,
  PatchGatewayRequest,
  SlugInfoRequest,
  SlugInfoResponse,
  ToolFilter,
  UpdateGatewayRequest,
} from "../../src/gateways/schema";
import {
  BulkUpsertHooksRequest,
  BulkUpsertHooksResponse,
  CreateHookRequest,
  CreatePluginRequest,
  CreatePluginResponse,
  HookResponse,
  NotInForce,
  PatchHookRequest,
  PatchPluginRequest,
  PluginResponse,
} from "../../src/hooks/schema";
import { BindingResponse, SecretResponse } from "../../src/identity/schema";
import { EmbeddingsRequest, EmbeddingsResponse } from "../../src/llm/embeddings";
import { ResponsesRequest, ResponsesResponse } from "../../src/llm/responses/schema";
import { ChatMessage, ChatRequest, ChatResponse } from "../../src/llm/schema";
import { ModelList } from "../../src/llm/model-schema";
import {
  AuthProviderCreateRequest,
  AuthProviderPatchRequest,
  AuthProviderResponse,
} from "../../src/providers/schema";
import { RequestConfig, TriggeredRequestConfig } from "../../src/providers/schema";
import { StoredSecretResponse, UpsertStoredSecretRequest } from "../../src/secrets/schema";
import {
  SessionVerificationSettingsResponse,
  UpdateSessionVerificationSettingsRequest,
} from "../../src/settings/schema";
import {
  ArbitraryObject,
  AuthorizeToolRequest,
  ExecuteToolRequest,
  ExecuteToolResponse,
  ToolRequirementsRequest,
  ToolRequirementsResponse,
  ToolResponse,
} from "../../src/tools/schema";
import { ToolExecution, ToolExecutionAttempt, ToolExecutionDetail } from "../../src/tools/schedule/schema";
import {
  ExecutionOutputRecord,
  Parameter,
  Requirements,
  ToolErrorRecord,
  ToolMetadataRecord,
  ValueSchema,
} from "../../src/tools/schema";
import {
  CreateWorkerRequest,
  UpdateWorkerRequest,
  WorkerHealthResponse,
  WorkerResponse,
  WorkerTestRequest,
  WorkerTestResponse,
} from "../../src/workers/schema";
import { WorkerAuthorizeResponse } from "../../src/workers/schema-oauth";
import { EngineConfigResponse, OpenApiDocument } from "../operations/discovery";
import { HealthSchema } from "../operations/service";
import { ErrorRecord } from "./error-record";

export const RECORDS: Readonly<Record<string, TSchema>> = {
  ArbitraryObject,
  AuthProviderCreateRequest,
  AuthProviderPatchRequest,
  AuthProviderResponse,
  AuthorizationConfirmUserRequest,
  AuthorizationConfirmUserResponse,
  AuthorizationInitiationRequest,
  AuthorizationResponse,
  AuthorizeToolRequest,
  BindingResponse,
  BulkUpsertHooksRequest,
  BulkUpsertHooksResponse,
  CreateHookRequest,
  CreatePluginRequest,
  CreatePluginResponse,
  CreateGatewayRequest,
  CreateWorkerRequest,
  ChatMessage,
  ChatRequest,
  ChatResponse,
  EmbeddingsRequest,
  EmbeddingsResponse,
  EngineConfigResponse,
  Error: ErrorRecord,
  ExecuteToolRequest,
  ExecuteToolResponse,
  GatewayResponse,
  GatewayToolFilter: ToolFilter,
  HealthSchema,
  HookResponse,
  ModelList,
  NotInForce,
  OpenApiDocument,
  Parameter,
  PatchHookRequest,
  PatchPluginRequest,
  PluginResponse,
  PatchGatewayRequest,
  RequestConfig,
  Requirements,
  ResponsesRequest,
  ResponsesResponse,
  SecretResponse,
  SessionVerificationSettingsResponse,
  SlugInfoRequest,
  SlugInfoResponse,
  StoredSecretResponse,
  ToolError: ToolErrorRecord,
  ToolExecution,
  ToolExecutionAttempt,
  ToolExecutionDetail,
  ToolExecutionOutput: ExecutionOutputRecord,
  ToolMetadata: ToolMetadataRecord,
  ToolRequirementsRequest,
  ToolRequirementsResponse,
  ToolResponse,
  TriggeredRequestConfig,
  UpdateGatewayRequest,
  UpdateSessionVerificationSettingsRequest,
  UpdateWorkerRequest,
  UpsertStoredSecretRequest,
  UserAuthProviderConnectionResponse,
  ValidateCustomVerifierRequest,
  ValidateCustomVerifierResponse,
  ValueSchema,
  WorkerAuthorizeResponse,
  WorkerHealthResponse,
  WorkerResponse,
  WorkerTestRequest,
  WorkerTestResponse,
};
