// Schemas of chat completions. Requests are checked for common mistakes; unknown fields are passed on.
import { type Static, Type } from "typebox";
import { AuthorizationResponse } from "../authorization/schema";

const number = Type.Optional(Type.Number());
const integer = Type.Optional(Type.Integer());

const ContentPart = Type.Object(
  { type: Type.String({ minLength: 1 }) },
  { description: "text, image_url, ..." },
);

const ToolCall = Type.Object({
  id: Type.Optional(Type.String()),
  type: Type.Optional(Type.String()),
  function: Type.Optional(
    Type.Object({ name: Type.Optional(Type.String()), arguments: Type.Optional(Type.String()) }),
  ),
});

export const ROLES = ["system", "developer", "user", "assistant", "tool"] as const;

export const ChatMessage = Type.Object({
  role: Type.Enum([...ROLES]),
  content: Type.Optional(Type.Union([Type.String(), Type.Array(ContentPart), Type.Null()])),
  name: Type.Optional(Type.String()),
  tool_call_id: Type.Optional(Type.String()),
  tool_calls: Type.Optional(Type.Array(ToolCall)),
});

/** The maximum number of tools in one request. */
export const MAX_TOOLS = 64;

const FunctionTool = Type.Object({
  type: Type.String({ minLength: 1 }),
  function: Type.Optional(
    Type.Object({
      name: Type.String({ minLength: 1, maxLength: 200 }),
      description: Type.Optional(Type.String()),
    }),
  ),
});

export const ChatRequest = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 300 }),
    messages: Type.Array(ChatMessage, { minItems: 1 }),
    user: Type.Optional(
      Type.String({ minLength: 1, maxLength: 256, description: "The user whom tools run for." }),
    ),
    tools: Type.Optional(
      Type.Array(Type.Union([Type.String({ minLength: 1, maxLength: 200 }), FunctionTool]), {
        maxItems: MAX_TOOLS,
        description: "Names of tools of this server and function objects of the caller.",
      }),
    ),
    tool_choice: Type.Optional(
      Type.Union(
        [
          Type.Enum(["none", "auto", "required", "execute", "generate"]),
          Type.Object({
            type: Type.Optional(Type.String()),
            function: Type.Optional(Type.Object({ name: Type.String() })),
          }),
        ],
        {
          description:
            "execute and generate: the server runs the calls. execute returns their output, generate lets the model answer.",
        },
      ),
    ),
    parallel_tool_calls: Type.Optional(Type.Boolean()),
    temperature: number,
    top_p: number,
    frequency_penalty: number,
    presence_penalty: number,
    n: integer,
    max_tokens: integer,
    max_completion_tokens: integer,
    seed: integer,
    top_logprobs: Type.Optional(Type.Integer({ minimum: 0, maximum: 20 })),
    logprobs: Type.Optional(Type.Boolean()),
    logit_bias: Type.Optional(Type.Record(Type.String(), Type.Integer())),
    stop: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())])),
    response_format: Type.Optional(Type.Object({ type: Type.Optional(Type.String()) })),
    stream: Type.Optional(Type.Boolean()),
    stream_options: Type.Optional(Type.Object({ include_usage: Type.Optional(Type.Boolean()) })),
  },
  // Fields of the model server that we do not know.
  { additionalProperties: true },
);

const Usage = Type.Object({
  prompt_tokens: Type.Integer(),
  completion_tokens: Type.Integer(),
  total_tokens: Type.Integer(),
});

/** A message of an answer. Model servers may send calls without content. */
const AnswerMessage = Type.Object({
  ...ChatMessage.properties,
  role: Type.String(),
  content: Type.Union([Type.String(), Type.Null()]),
});

/** A message of a run of this server. */
const RunMessage = Type.Object(
  {
    ...ChatMessage.properties,
    role: Type.String(),
    content: Type.String(),
  },
  { description: "Assistant messages have all fields that the model server sent." },
);

const Choice = Type.Object({
  index: Type.Integer(),
  finish_reason: Type.Union([Type.String(), Type.Null()]),
  message: AnswerMessage,
  logprobs: Type.Optional(Type.Unknown()),
  tool_authorizations: Type.Optional(
    Type.Array(AuthorizationResponse, {
      description: "Missing consents of the user, without which a tool cannot run.",
    }),
  ),
  tool_messages: Type.Optional(
    Type.Array(RunMessage, {
      description: "The assistant and tool messages of the run. Append them to the conversation.",
    }),
  ),
});

export const ChatResponse = Type.Object({
  id: Type.Optional(Type.String()),
  object: Type.Optional(Type.String()),
  created: Type.Optional(Type.Integer()),
  model: Type.Optional(Type.String()),
  choices: Type.Array(Choice),
  system_fingerprint: Type.Optional(Type.String()),
  usage: Type.Optional(Usage),
});

export type ChatRequest = Static<typeof ChatRequest>;
export type Message = Static<typeof ChatMessage>;
