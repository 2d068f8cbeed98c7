// Schemas of tools, requirements and executions.
import { type Static, Type } from "typebox";
import { pagingQuery } from "../base/schema";
import { TOOL_ERROR_KINDS } from "./tool-error";
import { AUTHORIZATION_STATUSES, AuthorizationResponse, NextUri, UserId } from "../authorization/schema";
import { PROVIDER_TYPES } from "../providers/schema";

/** The forms of tool definitions that listings offer. */
export const FORMATS = ["arcade", "openai", "anthropic", "gemini", "mcp", "openai_strict"] as const;
export const DEFAULT_FORMAT = "openai";

export const ValueSchema = Type.Object({
  val_type: Type.Enum(["string", "integer", "number", "boolean", "json", "array"]),
  inner_val_type: Type.Optional(Type.Enum(["string", "integer", "number", "boolean", "json"])),
  enum: Type.Optional(Type.Array(Type.String())),
});

export const Parameter = Type.Object({
  name: Type.String(),
  value_schema: ValueSchema,
  description: Type.Optional(Type.String()),
  required: Type.Boolean(),
  inferrable: Type.Boolean(),
});

const active = Type.Enum(["active", "inactive"]);
const tokenStatus = Type.Optional(Type.Enum([...AUTHORIZATION_STATUSES]));
const Scopes = Type.Object({ scopes: Type.Array(Type.String()) });

export const Requirements = Type.Object({
  met: Type.Boolean(),
  authorization: Type.Optional(
    Type.Object({
      id: Type.Optional(Type.String()),
      provider_id: Type.String(),
      provider_type: Type.Enum([...PROVIDER_TYPES]),
      oauth2: Scopes,
      status: active,
      status_reason: Type.Optional(Type.String()),
      token_status: tokenStatus,
    }),
  ),
  secrets: Type.Optional(
    Type.Array(
      Type.Object({ key: Type.String(), met: Type.Boolean(), status_reason: Type.Optional(Type.String()) }),
    ),
  ),
});

export const ToolMetadataRecord = Type.Object({
  classification: Type.Optional(Type.Object({ service_domains: Type.Array(Type.String()) })),
  behavior: Type.Object({
    operations: Type.Array(Type.String()),
    read_only: Type.Boolean(),
    destructive: Type.Boolean(),
    idempotent: Type.Boolean(),
    open_world: Type.Boolean(),
  }),
  extras: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});

export const ToolResponse = Type.Object({
  fully_qualified_name: Type.String(),
  qualified_name: Type.String(),
  name: Type.String(),
  toolkit: Type.Object({
    name: Type.String(),
    description: Type.Optional(Type.String()),
    version: Type.Optional(Type.String()),
  }),
  description: Type.Optional(Type.String()),
  deprecation_message: Type.Optional(Type.String()),
  input: Type.Object({ parameters: Type.Array(Parameter) }),
  output: Type.Optional(
    Type.Object({
      available_modes: Type.Array(Type.String()),
      description: Type.Optional(Type.String()),
      value_schema: Type.Optional(ValueSchema),
    }),
  ),
  requirements: Type.Optional(Requirements),
  metadata: Type.Optional(ToolMetadataRecord),
  formatted_schema: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});

// The service refuses other names with `unsupported_format`.
const FormatName = { shown: { enum: [...FORMATS] } };
const includeFormat = Type.Optional(
  Type.Array(Type.String(FormatName), { description: `Formats to add: ${FORMATS.join(", ")}.` }),
);

export const ToolsQuery = Type.Object({
  toolkit: Type.Optional(Type.String({ description: "Only the tools of this toolkit." })),
  query: Type.Optional(
    Type.String({
      maxLength: 500,
      description:
        "Only tools that match these words in names, descriptions and parameters, the best match first.",
    }),
  ),
  ...pagingQuery,
  include_format: includeFormat,
  user_id: Type.Optional(UserId),
  include_all_versions: Type.Optional(
    Type.Boolean({ default: false, description: "All versions of each tool, not only the newest." }),
  ),
  filter: Type.Optional(Type.String({ maxLength: 10_000, description: "Metadata filter as JSON text." })),
});

const format = Type.Optional(
  Type.String({ ...FormatName, default: DEFAULT_FORMAT, description: `One of ${FORMATS.join(", ")}.` }),
);

export const FormattedToolsQuery = Type.Object({
  toolkit: ToolsQuery.properties.toolkit,
  ...pagingQuery,
  format,
  user_id: ToolsQuery.properties.user_id,
  include_all_versions: ToolsQuery.properties.include_all_versions,
  filter: ToolsQuery.properties.filter,
});

export const FormattedToolQuery = Type.Object({ format, user_id: Type.Optional(UserId) });

/** A tool in a format. */
export const ArbitraryObject = Type.Record(Type.String(), Type.Unknown(), {
  description: "The tool in the requested format.",
});

export const ToolQuery = Type.Object({
  include_format: includeFormat,
  user_id: Type.Optional(UserId),
});

/** A toolkit of 100 characters, a tool of 128 and a version of 100, with the separators: what a worker may list. */
export const ToolName = Type.String({ minLength: 1, maxLength: 330 });
const ToolVersion = Type.Optional(Type.String({ minLength: 1, maxLength: 100 }));

export const AuthorizeToolRequest = Type.Object({
  tool_name: ToolName,
  tool_version: ToolVersion,
  user_id: Type.Optional(UserId),
  next_uri: Type.Optional(NextUri),
});

export const ToolRequirementsRequest = Type.Object({
  tool_names: Type.Optional(Type.Array(ToolName, { minItems: 1, maxItems: 200 })),
  tools: Type.Optional(
    Type.Array(Type.Object({ tool_name: ToolName, tool_version: ToolVersion }), {
      minItems: 1,
      maxItems: 200,
    }),
  ),
  user_id: Type.Optional(UserId),
  authorize: Type.Optional(Type.Boolean({ description: "Start a consent for missing scopes." })),
});

export const ToolRequirementsResponse = Type.Object({
  met: Type.Boolean(),
  authorization: Type.Object({
    met: Type.Boolean(),
    items: Type.Record(
      Type.String(),
      Type.Object({
        authorization_id: Type.Optional(Type.String()),
        met: Type.Boolean(),
        provider_id: Type.String(),
        provider_type: Type.Enum([...PROVIDER_TYPES]),
        scopes: Type.Array(Type.String(), { description: "All scopes that the tools need." }),
        oauth2: Scopes,
        status: active,
        status_reason: Type.Optional(Type.String()),
        token_status: tokenStatus,
        tool_names: Type.Array(Type.String(), { description: "The tools that lack something." }),
        tools: Type.Array(Type.Object({ tool_name: Type.String(), met: Type.Boolean(), oauth2: Scopes }), {
          description: "Every tool of the request that needs this provider, with the scopes that it lacks.",
        }),
        url: Type.Optional(Type.String()),
      }),
    ),
  }),
  secrets: Type.Object({
    met: Type.Boolean(),
    items: Type.Record(
      Type.String(),
      Type.Object({
        met: Type.Boolean(),
        status_reason: Type.Optional(Type.String()),
        tool_names: Type.Array(Type.String()),
      }),
    ),
  }),
});

export const ExecuteToolRequest = Type.Object({
  tool_name: ToolName,
  input: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  user_id: Type.Optional(UserId),
  tool_version: ToolVersion,
  run_at: Type.Optional(
    Type.String({
      maxLength: 100,
      description: "When to run it, such as 2030-01-31T09:30:00. UTC unless it contains a zone.",
    }),
  ),
  include_error_stacktrace: Type.Optional(Type.Boolean()),
  dry_run: Type.Optional(
    Type.Boolean({
      description:
        "Say what the run would do, and do nothing: `output.value` has the converted input, the requirements, the hooks that would be asked and the rules for repeats. `success` says whether it would begin.",
    }),
  ),
});

/** The value of a dry run. */
export interface DryRunReport {
  dry_run: true;
  /** Whether the input is valid and all requirements are met. Hooks may still refuse the call. */
  would_run: boolean;
  /** `Toolkit.DoThis@1.0.0` */
  tool: string;
  /** The id of the worker that runs it. */
  worker?: string;
  /** After conversion; absent if it is not valid. */
  input?: { [name: string]: unknown };
  requirements: RequirementsRecord;
  hooks: { id: string; hook_point: string; failure_mode: string }[];
  /** `safe`: reads only, or may be done twice. Otherwise a run that may have had an effect is never repeated. */
  repeats: "safe" | "never_after_effect";
  run_at?: string;
}

export const ToolErrorRecord = Type.Object({
  message: Type.String(),
  kind: Type.Enum([...TOOL_ERROR_KINDS]),
  can_retry: Type.Boolean(),
  developer_message: Type.Optional(Type.String()),
  additional_prompt_content: Type.Optional(Type.String()),
  retry_after_ms: Type.Optional(Type.Integer()),
  status_code: Type.Optional(Type.Integer()),
  stacktrace: Type.Optional(Type.String()),
  extra: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});

/** The output of a run: a value or an error. */
export const ExecutionOutputRecord = Type.Object({
  value: Type.Optional(Type.Unknown()),
  error: Type.Optional(ToolErrorRecord),
  logs: Type.Optional(
    Type.Array(
      Type.Object({
        level: Type.Enum(["debug", "info", "warning", "error"]),
        message: Type.String(),
        subtype: Type.Optional(Type.String()),
      }),
    ),
  ),
  authorization: Type.Optional(AuthorizationResponse),
});

export const ExecuteToolResponse = Type.Object({
  id: Type.String(),
  execution_id: Type.String(),
  execution_type: Type.Enum(["immediate", "scheduled"]),
  status: Type.Enum(["pending", "completed", "failed"]),
  success: Type.Boolean(),
  duration: Type.Optional(Type.Number({ description: "Milliseconds." })),
  finished_at: Type.Optional(Type.String({ format: "date-time" })),
  run_at: Type.Optional(Type.String({ format: "date-time" })),
  output: Type.Optional(ExecutionOutputRecord),
});

export type ValueSchema = Static<typeof ValueSchema>;
export type ToolRecord = Static<typeof ToolResponse>;
export type RequirementsRecord = Static<typeof Requirements>;
export type ToolsFilter = Static<typeof ToolsQuery>;
export type ToolFilter = Static<typeof ToolQuery>;
export type FormattedToolsFilter = Static<typeof FormattedToolsQuery>;
export type FormattedToolFilter = Static<typeof FormattedToolQuery>;
export type AuthorizeTool = Static<typeof AuthorizeToolRequest>;
export type ToolRequirements = Static<typeof ToolRequirementsRequest>;
export type ToolRequirementsReport = Static<typeof ToolRequirementsResponse>;
export type ExecuteTool = Static<typeof ExecuteToolRequest>;
export type Execution = Static<typeof ExecuteToolResponse>;
export type ToolErrorRecord = Static<typeof ToolErrorRecord>;
export type ExecutionOutput = NonNullable<Execution["output"]>;
