// The records by the names under which the document shows them. A schema that equals one of these is shown as a
// reference; every body and answer of an operation must be one of them, or a page of one.
import type { TSchema } from "typebox";
import {
  AuthorizationConfirmUserRequest,
  AuthorizationConfirmUserResponse,
  AuthorizationInitiationRequest,
  AuthorizationResponse,
  ValidateCustomVerifierRequest,
  ValidateCustomVerifierResponse,
} from "../../src/authorization";
import { UserAuthProviderConnectionResponse } from "../../src/connections";
import {
  CreateGatewayRequest,
  GatewayResponse,
  PatchGatewayRequest,
  SlugInfoRequest,
  SlugInfoResponse,
  ToolFilter,
  UpdateGatewayRequest,
} from "../../src/gateways";
import {
  BulkUpsertHooksRequest,
  BulkUpsertHooksResponse,
  CreateHookRequest,
  CreatePluginRequest,
  CreatePluginResponse,
  HookResponse,
  PatchHookRequest,
  PatchPluginRequest,
  PluginResponse,
} from "../../src/hooks";
import { BindingResponse, SecretResponse } from "../../src/identity";
import { ChatMessage, ChatRequest, ChatResponse, ModelList } from "../../src/llm";
import {
  AuthProviderCreateRequest,
  AuthProviderPatchRequest,
  AuthProviderResponse,
} from "../../src/providers";
import { RequestConfig, TriggeredRequestConfig } from "../../src/providers/schema";
import { StoredSecretResponse, UpsertStoredSecretRequest } from "../../src/secrets";
import {
  SessionVerificationSettingsResponse,
  UpdateSessionVerificationSettingsRequest,
} from "../../src/settings";
import {
  ArbitraryObject,
  AuthorizeToolRequest,
  ExecuteToolRequest,
  ExecuteToolResponse,
  ToolExecution,
  ToolExecutionAttempt,
  ToolExecutionDetail,
  ToolRequirementsRequest,
  ToolRequirementsResponse,
  ToolResponse,
} from "../../src/tools";
import {
  ExecutionOutputRecord,
  Parameter,
  Requirements,
  ToolErrorRecord,
  ToolMetadataRecord,
  ValueSchema,
} from "../../src/tools/schema";
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
  ChatMessage,
  ChatRequest,
  ChatResponse,
  EngineConfigResponse,
  Error: ErrorRecord,
  ExecuteToolRequest,
  ExecuteToolResponse,
  GatewayResponse,
  GatewayToolFilter: ToolFilter,
  HealthSchema,
  HookResponse,
  ModelList,
  OpenApiDocument,
  Parameter,
  PatchHookRequest,
  PatchPluginRequest,
  PluginResponse,
  PatchGatewayRequest,
  RequestConfig,
  Requirements,
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
  UpsertStoredSecretRequest,
  UserAuthProviderConnectionResponse,
  ValidateCustomVerifierRequest,
  ValidateCustomVerifierResponse,
  ValueSchema,
};
