// Schemas of plugins (records of a customer's webhook) and of hooks (a plugin at a hook point).
import { type Static, type TSchema, Type } from "typebox";
import { pagingQuery } from "../base/schema";
import { BindingResponse, SecretResponse } from "../identity/schema";
import {
  HOOK_POINTS,
  POINTS,
  PHASES,
  FAILURE_MODES,
  STATUSES,
  BINDING_TYPES,
  HEALTH,
  NOT_IN_FORCE,
  RETRY_ON,
} from "./terms";

const time = Type.String({ format: "date-time" });
const name = Type.String({ minLength: 1, maxLength: 256 });
const description = Type.String({ maxLength: 1000 });
const hookPoint = Type.Enum([...HOOK_POINTS]);
const phase = Type.Enum([...PHASES], {
  description: "Whether a hook of the organization runs before or after those of the project.",
});
const failureMode = Type.Enum([...FAILURE_MODES], {
  description: "Whether the call is stopped or continues if the webhook gives no usable answer.",
});
const priority = Type.Integer({
  minimum: 0,
  maximum: 1000,
  description: "Lower runs first. A new hook gets the first free one if it is absent.",
});
const status = Type.Enum([...STATUSES]);
const hookTimeout = Type.Integer({ minimum: 100, maximum: 30_000, description: "Milliseconds." });
const endpointTimeout = Type.Integer({ minimum: 100, maximum: 120_000, description: "Milliseconds." });
const cacheTtl = Type.Integer({ minimum: 1000, maximum: 604_800_000, description: "Milliseconds." });
const url = Type.String({ minLength: 1, maxLength: 2048 });
const recordId = Type.String({ minLength: 1, maxLength: 100 });

export const CreateHookRequest = Type.Object({
  name,
  plugin_id: recordId,
  hook_point: hookPoint,
  phase,
  failure_mode: failureMode,
  priority: Type.Optional(priority),
  status: Type.Optional(status),
  timeout_ms: Type.Optional(hookTimeout),
});

export const PatchHookRequest = Type.Object({
  failure_mode: Type.Optional(failureMode),
  phase: Type.Optional(phase),
  priority: Type.Optional(priority),
  status: Type.Optional(status),
  timeout_ms: Type.Optional(hookTimeout),
});

/** Why calls do not ask a webhook. Not in the published contract. */
export const NotInForce = Type.Object({
  hook_point: hookPoint,
  reason: Type.Enum([...NOT_IN_FORCE], { description: "Stable code, for programs." }),
  message: Type.String({ description: "Why calls do not ask it, and what to do." }),
});

export const HookResponse = Type.Object({
  id: Type.String(),
  name: Type.String(),
  plugin_id: Type.String(),
  hook_point: hookPoint,
  phase,
  failure_mode: failureMode,
  priority: Type.Integer(),
  status,
  timeout_ms: Type.Integer(),
  cache_enabled: Type.Optional(Type.Boolean()),
  cache_ttl_ms: Type.Optional(Type.Integer()),
  // Not in the published contract.
  binding: Type.Object({ id: Type.String(), type: Type.Enum([...BINDING_TYPES]) }),
  not_in_force: Type.Optional(NotInForce),
  version: Type.Integer(),
  created_at: time,
  updated_at: time,
});

export const HooksQuery = Type.Object({
  ...pagingQuery,
  hook_point: Type.Optional(hookPoint),
  plugin_id: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  status: Type.Optional(status),
});

const bindingType = Type.Optional(
  Type.Enum([...BINDING_TYPES], { default: "project", description: "Of the organization, or the project." }),
);

export const HookQuery = Type.Object({ binding_type: bindingType });

export const BulkUpsertHooksRequest = Type.Object({
  configs: Type.Array(
    Type.Object({
      plugin_id: recordId,
      hook_point: hookPoint,
      failure_mode: Type.Optional(failureMode),
      phase: Type.Optional(phase),
      priority: Type.Optional(priority),
      status: Type.Optional(status),
    }),
    { minItems: 1, maxItems: 100 },
  ),
});

export const BulkUpsertHooksResponse = Type.Object({
  success: Type.Integer(),
  failed: Type.Integer(),
  results: Type.Array(
    Type.Object({
      action: Type.Enum(["created", "updated", "unchanged", "failed"]),
      hook_id: Type.String(),
      hook_point: hookPoint,
      plugin_id: Type.String(),
      error: Type.Optional(Type.String()),
    }),
  ),
});

const retry = Type.Object({
  enabled: Type.Optional(Type.Boolean()),
  max_attempts: Type.Optional(Type.Integer({ minimum: 1, maximum: 10 })),
  backoff: Type.Optional(Type.Enum(["fixed", "exponential"])),
  base_delay_ms: Type.Optional(Type.Integer({ minimum: 10, maximum: 10_000 })),
  retry_on: Type.Optional(Type.Array(Type.Enum([...RETRY_ON]), { maxItems: 10 })),
});

const auth = Type.Object({
  type: Type.Optional(Type.Enum(["bearer", "mtls", "none"])),
  token: Type.Optional(Type.String({ minLength: 1, maxLength: 5000 })),
  ca_cert: Type.Optional(Type.String({ maxLength: 100_000, description: "PEM." })),
  client_cert: Type.Optional(Type.String({ maxLength: 100_000, description: "PEM." })),
  client_key: Type.Optional(Type.String({ maxLength: 100_000, description: "PEM." })),
});

const onHook = { priority: Type.Optional(priority), status: Type.Optional(status) };
const onEndpoint = {
  timeout_ms: Type.Optional(endpointTimeout),
  cache_enabled: Type.Optional(Type.Boolean()),
  cache_ttl_ms: Type.Optional(cacheTtl),
};
const endpoint = Type.Object({ url, phase, failure_mode: failureMode, ...onHook, ...onEndpoint });
const endpointPatch = Type.Partial(endpoint);

function forEachPoint<T extends TSchema>(schema: T) {
  const optional = Type.Optional(schema);
  return Type.Object({ access: optional, pre: optional, post: optional });
}

const common = {
  health_check_path: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2048,
      description: "An address, or a path relative to the first endpoint.",
    }),
  ),
  signing_secret: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: "`whsec_` and 24 to 64 bytes as base64. Requests are then signed (Standard Webhooks).",
    }),
  ),
};

export const CreatePluginRequest = Type.Object({
  name,
  plugin_type: Type.Enum(["webhook"]),
  description: Type.Optional(description),
  status: Type.Optional(Type.Enum([...STATUSES], { default: "inactive" })),
  retry: Type.Optional(retry),
  webhook_config: Type.Object({
    endpoints: forEachPoint(endpoint),
    auth: Type.Optional(auth),
    ...common,
  }),
});

export const PatchPluginRequest = Type.Object({
  name: Type.Optional(name),
  description: Type.Optional(description),
  status: Type.Optional(status),
  retry: Type.Optional(retry),
  webhook_config: Type.Optional(
    Type.Object({
      endpoints: Type.Optional(forEachPoint(endpointPatch)),
      auth: Type.Optional(auth),
      ...common,
    }),
  ),
});

/** A plugin in a manifest, new or existing, without its hooks. */
export const ConfiguredPluginRequest = Type.Object({
  ...PatchPluginRequest.properties,
  name,
  plugin_type: Type.Optional(Type.Enum(["webhook"])),
});

const endpointRecord = Type.Object({
  url: Type.String(),
  timeout_ms: Type.Optional(Type.Integer()),
  cache_enabled: Type.Optional(Type.Boolean()),
  cache_ttl_ms: Type.Optional(Type.Integer()),
});

const pluginFields = {
  id: Type.String(),
  name: Type.String(),
  plugin_type: Type.Enum(["webhook"]),
  status,
  description: Type.Optional(Type.String()),
  binding: BindingResponse,
  retry,
  webhook_config: Type.Optional(
    Type.Object({
      endpoints: Type.Optional(forEachPoint(endpointRecord)),
      auth: Type.Optional(
        Type.Object({
          type: Type.Optional(Type.Enum(["bearer", "mtls", "none"])),
          token: Type.Optional(SecretResponse),
          ca_cert: Type.Optional(Type.String()),
          client_cert_configured: Type.Optional(Type.Boolean()),
          client_key_configured: Type.Optional(Type.Boolean()),
        }),
      ),
      health_check_path: Type.Optional(Type.String()),
      signing_secret: Type.Optional(SecretResponse),
    }),
  ),
  health_status: Type.Enum([...HEALTH]),
  not_in_force: Type.Optional(
    Type.Array(NotInForce, { description: "Endpoints that decide about no call. Absent: all of them do." }),
  ),
  version: Type.Integer(),
  created_by: Type.Optional(Type.String()),
  updated_by: Type.Optional(Type.String()),
  created_at: time,
  updated_at: time,
};

export const PluginResponse = Type.Object(pluginFields);

export const CreatePluginResponse = Type.Object({ ...pluginFields, hooks: Type.Array(HookResponse) });

export const PluginsQuery = Type.Object({ ...pagingQuery, binding_type: bindingType });

export type NotInForce = Static<typeof NotInForce>;
export type HookPoint = (typeof HOOK_POINTS)[number];
export type Point = (typeof POINTS)[number];
export type Phase = (typeof PHASES)[number];
export type FailureMode = (typeof FAILURE_MODES)[number];
export type BindingType = (typeof BINDING_TYPES)[number];
export type Health = (typeof HEALTH)[number];
export type CreateHook = Static<typeof CreateHookRequest>;
export type PatchHook = Static<typeof PatchHookRequest>;
export type Hook = Static<typeof HookResponse>;
export type HooksFilter = Static<typeof HooksQuery>;
export type BulkUpsertHooks = Static<typeof BulkUpsertHooksRequest>;
export type BulkUpsertedHooks = Static<typeof BulkUpsertHooksResponse>;
export type CreatePlugin = Static<typeof CreatePluginRequest>;
export type ConfiguredPlugin = Static<typeof ConfiguredPluginRequest>;
export type PatchPlugin = Static<typeof PatchPluginRequest>;
export type Plugin = Static<typeof PluginResponse>;
export type CreatedPlugin = Static<typeof CreatePluginResponse>;
export type PluginsFilter = Static<typeof PluginsQuery>;
export type Retry = Static<typeof retry>;
