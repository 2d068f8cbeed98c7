// Schemas of chat completions. Requests are checked for common mistakes; unknown fields are passed on, mistyped ones refused.
import { type Static, Type } from "typebox";
import { AuthorizationResponse } from "../authorization/schema";
import { passedOn } from "./passed-on";
import { ToolName } from "../tools/schema";

const number = (description: string) => Type.Optional(Type.Number({ description }));
const integer = (description: string) => Type.Optional(Type.Integer({ description }));
const flag = (description: string) => Type.Optional(Type.Boolean({ description }));

/** Of a response: passed on whole, with fields that are not listed. */
const PASSED_ON = { shown: { additionalProperties: true } };

const free = (description: string) =>
  Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description }));
const text = (description: string) => Type.Optional(Type.String({ description }));

const ContentPart = Type.Object(
  {
    type: Type.String({ minLength: 1, description: "text, image_url, input_audio, file, refusal, ..." }),
    text: text("Of a part of the type text."),
    image_url: Type.Optional(
      Type.Union(
        [
          Type.String(),
          Type.Object({ url: Type.String(), detail: text("auto, low or high.") }, passedOn(["url"])),
        ],
        {
          description: "Of a part of the type image_url: an address, or the image as a data address.",
        },
      ),
    ),
    input_audio: free("Of a part of the type input_audio: data (base64) and format."),
    file: free("Of a part of the type file: file_id, or file_data and filename."),
    refusal: text("Of a part of the type refusal."),
  },
  {
    ...passedOn(["type", "text", "image_url", "input_audio", "file", "refusal"], ["image_pil"]),
    description: "text, image_url, ...",
  },
);

const ToolCall = Type.Object(
  {
    id: text("Repeated in the message with the result of the call."),
    type: text("function, ..."),
    function: Type.Optional(
      Type.Object(
        { name: text("The function to call."), arguments: text("Its arguments, as JSON.") },
        { ...passedOn(["name", "arguments"]), description: "The call of a function." },
      ),
    ),
  },
  passedOn(["id", "type", "function"]),
);

export const ROLES = ["system", "developer", "user", "assistant", "tool"] as const;

export const ChatMessage = Type.Object(
  {
    role: Type.Enum([...ROLES], { description: "Who says it." }),
    content: Type.Optional(
      Type.Union([Type.String(), Type.Array(ContentPart), Type.Null()], {
        description: "Text, or a list of parts. Null for a message that only has calls.",
      }),
    ),
    name: text("The name of the participant."),
    tool_call_id: text("The call that a message with the role tool answers."),
    tool_calls: Type.Optional(Type.Array(ToolCall, { description: "The calls of an assistant message." })),
    refusal: text("Why the assistant refused."),
    reasoning_content: text("The thinking of the model, as its server sent it."),
  },
  passedOn(["role", "content", "content_blocks", "content_parts", "tool_call_id", "tool_calls"]),
);

/** The maximum number of tools in one request. */
export const MAX_TOOLS = 64;

const FunctionTool = Type.Object(
  {
    type: Type.String({ minLength: 1, description: "function, ..." }),
    function: Type.Optional(
      Type.Object(
        {
          name: Type.String({ ...ToolName, description: "Name of the function." }),
          description: text("What the function does, for the model."),
          parameters: free("JSON Schema of its arguments."),
          strict: Type.Optional(
            Type.Boolean({ description: "Whether arguments must follow the schema exactly." }),
          ),
        },
        {
          ...passedOn(["name", "description", "parameters", "strict"]),
          description: "A function of the caller, or a tool of this server by its name.",
        },
      ),
    ),
  },
  passedOn(["type", "function"]),
);

export const ChatRequest = Type.Object(
  {
    model: Type.String({
      minLength: 1,
      maxLength: 300,
      description: "A model of `GET /v1/models`, or `ENTRY/MODEL`.",
    }),
    messages: Type.Array(ChatMessage, { minItems: 1, description: "The conversation, oldest first." }),
    user: Type.Optional(
      Type.String({ minLength: 1, maxLength: 256, description: "The user whom tools run for." }),
    ),
    tools: Type.Optional(
      Type.Array(Type.Union([ToolName, FunctionTool]), {
        maxItems: MAX_TOOLS,
        description: "Names of tools of this server and function objects of the caller.",
      }),
    ),
    tool_choice: Type.Optional(
      Type.Union(
        [
          Type.Enum(["none", "auto", "required", "execute", "generate"]),
          Type.Object(
            {
              type: text("function, ..."),
              function: Type.Optional(
                Type.Object(
                  { name: Type.String({ description: "The function to call." }) },
                  passedOn(["name"]),
                ),
              ),
            },
            passedOn(["type", "function"]),
          ),
        ],
        {
          description:
            "execute and generate: the server runs the calls. execute returns their output, generate lets the model answer.",
        },
      ),
    ),
    parallel_tool_calls: flag("Whether the model may call several tools at once."),
    temperature: number("Randomness of the answer: 0 is the least."),
    top_p: number("Only the most likely tokens with this share of the probability are considered."),
    frequency_penalty: number("Lowers the probability of tokens by how often they have occurred."),
    presence_penalty: number("Lowers the probability of tokens that have occurred."),
    n: integer("Number of answers. Only 1 if the server runs tools."),
    max_tokens: integer("Limit of the answer in tokens; the older name."),
    max_completion_tokens: integer("Limit of the answer in tokens; the newer name."),
    seed: integer("The same seed and request give the same answer, if the model server can."),
    top_logprobs: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 20, description: "Number of alternatives in logprobs." }),
    ),
    logprobs: flag("Whether the answer has probabilities of its tokens."),
    logit_bias: Type.Optional(
      Type.Record(Type.String(), Type.Integer(), { description: "Changes of probability, by token." }),
    ),
    stop: Type.Optional(
      Type.Union([Type.String(), Type.Array(Type.String())], {
        description: "Texts at which the answer ends.",
      }),
    ),
    response_format: Type.Optional(
      Type.Object(
        {
          type: text("text, json_object or json_schema."),
          json_schema: free("For json_schema: name, schema, strict and description."),
        },
        { ...passedOn(["type", "json_schema"]), description: "The form of the answer." },
      ),
    ),
    reasoning_effort: text("How much a reasoning model thinks: none, minimal, low, medium, high, ..."),
    verbosity: text("How long the answer is: low, medium or high."),
    metadata: free("Passed on to the model server."),
    service_tier: text("Passed on to the model server."),
    store: flag("Passed on to the model server."),
    stream: flag("Whether the answer is a stream of events."),
    stream_options: Type.Optional(
      Type.Object(
        { include_usage: flag("Whether the last event has the token counts.") },
        { ...passedOn(["include_usage"]), description: "Only with `stream`." },
      ),
    ),
  },
  // Fields of the model server that we do not know.
  {
    ...passedOn(
      [
        "model",
        "messages",
        "user",
        "tools",
        "tool_choice",
        "parallel_tool_calls",
        "n",
        "max_tokens",
        "max_completion_tokens",
        "stop",
        "response_format",
        "reasoning_effort",
        "stream",
        "stream_options",
      ],
      ["models", "min_tokens", "min_completion_tokens"],
    ),
    description: "Fields that are not listed are passed on to the model server.",
  },
);

const count = (description: string) => Type.Integer({ description });
const Usage = Type.Object(
  {
    prompt_tokens: count("Tokens of the request."),
    completion_tokens: count("Tokens of the answer."),
    total_tokens: count("Their sum."),
  },
  { ...PASSED_ON, description: "What the model server counted." },
);

/** A message of an answer. Model servers may send calls without content. */
const AnswerMessage = Type.Object(
  {
    ...ChatMessage.properties,
    role: Type.String({ description: "assistant" }),
    content: Type.Union([Type.String(), Type.Null()], {
      description: "The text. Null if there are only calls.",
    }),
  },
  { ...PASSED_ON, description: "With all fields that the model server sent." },
);

/** A message of a run of this server. */
const RunMessage = Type.Object(
  {
    ...ChatMessage.properties,
    role: Type.String({ description: "assistant or tool" }),
    content: Type.String({ description: "The text, or the result of a tool." }),
  },
  { ...PASSED_ON, description: "Assistant messages have all fields that the model server sent." },
);

const Choice = Type.Object(
  {
    index: count("Its position."),
    finish_reason: Type.Union([Type.String(), Type.Null()], { description: "stop, length, tool_calls, ..." }),
    message: AnswerMessage,
    logprobs: Type.Optional(Type.Unknown({ description: "Probabilities of tokens, if requested." })),
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
  },
  PASSED_ON,
);

export const ChatResponse = Type.Object(
  {
    id: text("Id of the answer."),
    object: text("chat.completion"),
    created: integer("Seconds since 1970."),
    model: text("The model that answered."),
    choices: Type.Array(Choice, { description: "The answers; more than one if `n` asks for it." }),
    system_fingerprint: text("Of the model server."),
    usage: Type.Optional(Usage),
  },
  PASSED_ON,
);

export type ChatRequest = Static<typeof ChatRequest>;
export type Message = Static<typeof ChatMessage>;
