// Schemas of the Responses protocol. Requests are checked for common mistakes; unknown fields are passed on, mistyped ones
// refused.
import { ToolName } from "../../tools/schema";
import { type Static, type TSchema, Type } from "typebox";
import { AuthorizationResponse } from "../../authorization/schema";
import { passedOn } from "../passed-on";
import { MAX_TOOLS } from "../schema";

/** Clients send null for a field that they leave out. */
const optional = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]));
const text = optional(Type.String());
const number = optional(Type.Number());
const integer = optional(Type.Integer());
const flag = optional(Type.Boolean());
const loose = (reads: readonly string[]) => Type.Object({}, passedOn(reads));
const free = Type.Object({}, { additionalProperties: true });

const Item = Type.Object(
  { type: Type.Optional(Type.String()), role: Type.Optional(Type.String()) },
  {
    ...passedOn(["type", "role", "content", "call_id", "name", "arguments", "output"], ["outputs"]),
    description: "message, function_call, function_call_output, reasoning, ...",
  },
);

const ResponsesTool = Type.Object(
  { type: Type.String({ minLength: 1 }) },
  passedOn(["type", "name", "description", "parameters", "strict", "function"]),
);

export const ResponsesRequest = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 300 }),
    input: Type.Optional(Type.Union([Type.String(), Type.Array(Item)])),
    instructions: text,
    user: Type.Optional(
      Type.String({ minLength: 1, maxLength: 256, description: "The user whom tools run for." }),
    ),
    tools: Type.Optional(
      Type.Array(Type.Union([ToolName, ResponsesTool]), {
        maxItems: MAX_TOOLS,
        description: "Names of tools of this server and functions of the caller.",
      }),
    ),
    tool_choice: Type.Optional(
      Type.Union(
        [Type.Enum(["none", "auto", "required", "execute", "generate"]), loose(["type", "name", "function"])],
        {
          description:
            "execute and generate: the server runs the calls. execute returns their output, generate lets the model answer.",
        },
      ),
    ),
    parallel_tool_calls: flag,
    temperature: number,
    top_p: number,
    top_logprobs: optional(Type.Integer({ minimum: 0, maximum: 20 })),
    max_output_tokens: integer,
    reasoning: optional(loose(["effort"])),
    text: optional(
      Type.Object(
        {
          format: Type.Optional(
            Type.Union([loose(["type", "name", "schema", "strict", "description"]), Type.Null()], {
              description: "The form of the answer.",
            }),
          ),
        },
        passedOn(["format", "verbosity"]),
      ),
    ),
    include: optional(Type.Array(Type.String())),
    metadata: optional(free),
    stream: flag,
    store: flag,
    background: flag,
    previous_response_id: text,
  },
  // Fields of the model server that we do not know.
  passedOn(
    [
      "model",
      "input",
      "instructions",
      "user",
      "tools",
      "tool_choice",
      "parallel_tool_calls",
      "max_output_tokens",
      "reasoning",
      "text",
      "include",
      "stream",
      "store",
      "background",
      "previous_response_id",
      "conversation",
      "prompt",
      "truncation",
    ],
    ["models", "min_output_tokens"],
  ),
);

const Usage = Type.Object({
  input_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
  total_tokens: Type.Integer(),
});

export const ResponsesResponse = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal("response"),
    created_at: Type.Number({ description: "Seconds since 1970." }),
    model: Type.String(),
    status: Type.Optional(Type.String({ description: "completed, incomplete, ..." })),
    output: Type.Array(Item, {
      description: "Append it to the input to continue. Calls that this server ran are mcp_call items.",
    }),
    usage: optional(Usage),
    tool_authorizations: Type.Optional(
      Type.Array(AuthorizationResponse, {
        description: "Missing consents of the user, without which a tool cannot run.",
      }),
    ),
  },
  { additionalProperties: true },
);

export type ResponsesRequest = Static<typeof ResponsesRequest>;
