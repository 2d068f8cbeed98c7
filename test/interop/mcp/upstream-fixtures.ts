// An MCP server with what the conformance suite asks for by fixed names, as a worker. A gateway shows what a worker has as
// `Toolkit_name`, so the toolkits `test` and `json` give exactly the names of the suite.
import { isObject } from "../../../src/base";
import {
  type Asked,
  events,
  type Handle,
  notification,
  result,
  TEXT,
  Upstream,
} from "../../support/mcp-upstream";

type Result = Record<string, unknown>;
export type Family = "legacy" | "modern";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";
const STEP_MS = 20;

const text = (value: string): object => ({ type: "text", text: value });
const image = { type: "image", data: PNG, mimeType: "image/png" };
const NO_INPUT = { type: "object", properties: {} };

const tools: Readonly<Record<string, Handle>> = {
  simple_text: () => TEXT("This is a simple text response for testing."),
  image_content: () => ({ content: [image] }),
  audio_content: () => ({ content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }] }),
  embedded_resource: () => ({
    content: [embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")],
  }),
  multiple_content_types: () => ({
    content: [
      text("Multiple content types test:"),
      image,
      embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ],
  }),
  error_handling: () => ({ ...TEXT("This tool intentionally returns an error for testing"), isError: true }),
  tool_with_progress: progress,
  elicitation: (asked) => {
    const { message = "" } = argumentsOf(asked);
    return asking(asked, "user", String(message), { username: {}, email: {} }, "User response");
  },
  elicitation_sep1034_defaults: (asked) =>
    asking(asked, "user", "Your data", {
      name: { default: "John Doe" },
      age: { type: "integer", default: 30 },
      score: { type: "number", default: 95.5 },
      status: { enum: ["active", "inactive", "pending"], default: "active" },
      verified: { type: "boolean", default: true },
    }),
  elicitation_sep1330_enums: (asked) =>
    asking(asked, "user", "Your choice", {
      untitledSingle: { enum: ["option1", "option2", "option3"] },
      titledSingle: { oneOf: titled() },
      legacyEnum: { enum: ["opt1", "opt2", "opt3"], enumNames: ["Option One", "Option Two", "Option Three"] },
      untitledMulti: { type: "array", items: { type: "string", enum: ["option1", "option2", "option3"] } },
      titledMulti: { type: "array", items: { anyOf: titled() } },
    }),
  input_required_result_elicitation: (asked) => {
    const answer = answersTo(asked)?.["user_name"];
    const name = isObject(answer) && isObject(answer["content"]) ? answer["content"]["name"] : undefined;
    return name === undefined
      ? needed({ user_name: question("What is your name?", { name: {} }) })
      : TEXT(`Hello, ${String(name)}!`);
  },
  input_required_result_request_state: confirmed,
  input_required_result_tampered_state: confirmed,
  input_required_result_multi_round: (asked) => {
    const answers = answersTo(asked);
    if (answers?.["step2"] !== undefined) return TEXT("complete");
    return answers?.["step1"] === undefined
      ? needed({ step1: question("Step 1: What is your name?", { name: {} }) }, "first")
      : needed({ step2: question("Step 2: What is your favorite color?", { color: {} }) }, "second");
  },
  custom_headers: () => TEXT("valid"),
  missing_capability: cannotAsk,
  streaming_elicitation: () => needed({ user_name: question("What is your name?", { name: {} }) }),
  input_required_result_capabilities: () => TEXT("There is nothing to ask."),
  logging_tool: () => TEXT("logged"),
  trigger_tool_change: changed,
  trigger_prompt_change: changed,
};

/** What the tools do that change a list: a site sets it. */
export const listChange = { trigger: async (): Promise<void> => undefined };

async function changed(): Promise<Result> {
  await listChange.trigger();
  return TEXT("changed");
}

const inputs: Readonly<Record<string, object>> = {
  elicitation: { type: "object", properties: { message: { type: "string" } }, required: ["message"] },
  custom_headers: { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } },
};

const prompts: Readonly<Record<string, (given: Result, asked: Asked) => Result>> = {
  simple_prompt: () => spoken(text("This is a simple prompt for testing.")),
  prompt_with_arguments: ({ arg1, arg2 }) =>
    spoken(text(`Prompt with arguments: arg1='${String(arg1)}', arg2='${String(arg2)}'`)),
  prompt_with_embedded_resource: ({ resourceUri }) =>
    spoken(
      embedded(String(resourceUri), "text/plain", "Embedded resource content for testing."),
      text("Please process the embedded resource above."),
    ),
  prompt_with_image: () => spoken(image, text("Please analyze the image above.")),
  input_required_result_prompt: (_given, asked) =>
    answersTo(asked)?.["user_context"] === undefined
      ? needed({ user_context: question("What context should the prompt use?", { context: {} }) })
      : spoken(text("With the context.")),
};

const promptArguments: Readonly<Record<string, string[]>> = {
  prompt_with_arguments: ["arg1", "arg2"],
  prompt_with_embedded_resource: ["resourceUri"],
};

const RESOURCES = [
  {
    uri: "test://static-text",
    mimeType: "text/plain",
    text: "This is the content of the static text resource.",
  },
  { uri: "test://static-binary", mimeType: "image/png", blob: PNG },
  { uri: "test://watched-resource", mimeType: "text/plain", text: "Watched." },
];

/** Serves the toolkit `test`. */
export function conformanceUpstream(family: Family): Upstream {
  return new Upstream({
    family,
    capabilities: { tools: {}, prompts: {}, resources: {}, completions: {} },
    methods: {
      "tools/list": () => ({
        tools: Object.keys(tools).map((name) => ({
          name,
          description: `Fixture ${name}.`,
          inputSchema: inputs[name] ?? NO_INPUT,
        })),
      }),
      "tools/call": (asked) => tools[String(asked.params["name"])]?.(asked) ?? TEXT("no such tool"),
      "prompts/list": () => ({
        prompts: Object.keys(prompts).map((name) => ({
          name,
          description: `Fixture ${name}.`,
          arguments: (promptArguments[name] ?? []).map((argument) => ({ name: argument, required: true })),
        })),
      }),
      "prompts/get": (asked) =>
        prompts[String(asked.params["name"])]?.(argumentsOf(asked), asked) ?? { messages: [] },
      "resources/list": () => ({
        resources: RESOURCES.map(({ uri, mimeType }) => ({
          uri,
          name: uri.slice("test://".length),
          description: "A fixture.",
          mimeType,
        })),
      }),
      "resources/templates/list": () => ({
        resourceTemplates: [
          { uriTemplate: "test://template/{id}/data", name: "template", mimeType: "application/json" },
        ],
      }),
      "resources/read": readResource,
      "completion/complete": () => ({ completion: { values: ["paris", "park"], total: 2, hasMore: false } }),
    },
  });
}

/** Serves a toolkit that comes and goes. */
export function changingUpstream(family: Family): Upstream {
  return new Upstream({
    family,
    capabilities: { tools: {}, prompts: {} },
    methods: {
      "tools/list": () => ({ tools: [{ name: "more", description: "More.", inputSchema: NO_INPUT }] }),
      "prompts/list": () => ({ prompts: [{ name: "more", description: "More." }] }),
    },
  });
}

/** Serves the toolkit `json`: every keyword that a list of tools must keep. */
export function schemaUpstream(family: Family, inputSchema: object): Upstream {
  return new Upstream({
    family,
    methods: {
      "tools/list": () => ({
        tools: [{ name: "schema_2020_12_tool", description: "A fixture.", inputSchema }],
      }),
      "tools/call": () => TEXT("valid"),
    },
  });
}

function argumentsOf({ params }: Asked): Result {
  return isObject(params["arguments"]) ? params["arguments"] : {};
}

function answersTo({ params }: Asked): Result | undefined {
  return isObject(params["inputResponses"]) ? params["inputResponses"] : undefined;
}

function embedded(uri: string, mimeType: string, value: string): object {
  return { type: "resource", resource: { uri, mimeType, text: value } };
}

function spoken(...contents: object[]): Result {
  return { messages: contents.map((content) => ({ role: "user", content })) };
}

function titled(): object[] {
  return ["First", "Second", "Third"].map((title, at) => ({
    const: `value${at + 1}`,
    title: `${title} Option`,
  }));
}

/** As a server answers that needs what the client has not declared. */
function cannotAsk({ id }: Asked): Response {
  const data = { requiredCapabilities: { sampling: {} } };
  const error = { code: -32021, message: "The client has no model.", data };
  return Response.json({ jsonrpc: "2.0", id, error }, { status: 400 });
}

/** A form with these fields; each is a text unless it says otherwise. */
function question(message: string, fields: Record<string, object>): Result {
  const properties = Object.entries(fields).map(([name, field]) => [name, { type: "string", ...field }]);
  const requestedSchema = {
    type: "object",
    properties: Object.fromEntries(properties),
    required: Object.keys(fields),
  };
  return { method: "elicitation/create", params: { message, requestedSchema } };
}

function needed(inputRequests: Result, requestState?: string): Result {
  return {
    resultType: "input_required",
    inputRequests,
    ...(requestState === undefined ? {} : { requestState }),
  };
}

function confirmed(asked: Asked): Result {
  if (answersTo(asked)?.["confirm"] === undefined)
    return needed({ confirm: question("Please confirm", { ok: { type: "boolean" } }) }, "ok");
  return TEXT(`state-${String(asked.params["requestState"])}`);
}

/** Asks the client: in an answer that is not complete, or in the stream of the answer. */
function asking(
  asked: Asked,
  key: string,
  message: string,
  fields: Record<string, object>,
  said = "Elicitation completed",
): ReturnType<Handle> {
  const { upstream, id } = asked;
  const form = question(message, fields);
  if (upstream.options.family === "modern") {
    const answer = answersTo(asked)?.[key];
    return answer === undefined ? needed({ [key]: form }) : TEXT(`${said}: ${JSON.stringify(answer)}`);
  }
  return events(conversation());
  async function* conversation(): AsyncGenerator<object> {
    const own = `question-${String(id)}`;
    yield { jsonrpc: "2.0", id: own, ...form };
    let answer: Result | undefined;
    while (answer === undefined) {
      await Bun.sleep(STEP_MS);
      answer = upstream.replies.find((reply) => reply["id"] === own);
    }
    const { action, content } = isObject(answer["result"]) ? answer["result"] : {};
    yield result(id, TEXT(`${said}: action=${String(action)}, content=${JSON.stringify(content)}`));
  }
}

function progress({ id, params }: Asked): Response {
  const meta = isObject(params["_meta"]) ? params["_meta"] : {};
  async function* reports(): AsyncGenerator<object> {
    for (const done of [0, 50, 100]) {
      yield notification("notifications/progress", {
        progressToken: meta["progressToken"],
        progress: done,
        total: 100,
      });
      await Bun.sleep(STEP_MS);
    }
    yield result(id, TEXT("done"));
  }
  return events(reports());
}

function readResource({ params, id }: Asked): Result | Response {
  const uri = String(params["uri"]);
  const known = RESOURCES.find((resource) => resource.uri === uri);
  if (known !== undefined) return { contents: [known] };
  const [, number] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? [];
  if (number !== undefined) {
    const data = JSON.stringify({ id: number, templateTest: true, data: `Data for ID: ${number}` });
    return { contents: [{ uri, mimeType: "application/json", text: data }] };
  }
  const error = { code: -32602, message: "Resource not found", data: { uri } };
  return Response.json({ jsonrpc: "2.0", id, error });
}
