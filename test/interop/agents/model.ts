// The model of an agent: it calls the tools that it is told to call, one after the other, then says what they returned. It
// speaks chat completions, which our server serves to agents in two protocols, and the protocol of one agent itself.
import { isObject } from "../../../src/base";
import { say, type Turn } from "../../sandbox/models/chat-server";
import { type ScriptedServer, startScriptedServer } from "../../sandbox/models/http";

export interface Call {
  /** The end of the name of the tool: each agent puts something of its own before it. */
  tool: string;
  input: object;
}

/** What the model says or calls after these results. A request without the tools, for example for a title, gets a short text. */
function next(calls: readonly Call[], names: readonly string[], results: readonly string[]) {
  const call = calls[results.length];
  if (call === undefined) return { text: `The tools said: ${results.join("\n")}` };
  const name = names.find((each) => each.endsWith(call.tool));
  return name === undefined ? { text: "A title" } : { name, input: call.input };
}

/** Chat completions. */
export const calling =
  (calls: readonly Call[]): Turn =>
  ({ messages, tools = [], ...request }, reply) => {
    const results = messages.filter(({ role }) => role === "tool").map(({ content }) => textOf(content));
    const names = tools.map(({ function: { name } }) => name);
    const { text, name, input } = next(calls, names, results);
    const told = { ...request, messages, tools };
    if (name === undefined) return say(told, reply, { content: text ?? "", usage: [20, 10] });
    const call = { name, arguments: JSON.stringify(input), id: `call_${results.length + 1}` };
    say(told, reply, { calls: [call], usage: [10, 5] });
  };

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map((part) => (isObject(part) ? part["text"] : "")).join("") : "";
}

interface GeminiRequest {
  contents?: { role?: string; parts?: { functionResponse?: { response?: unknown } }[] }[];
  tools?: { functionDeclarations?: { name: string }[] }[];
}

/** The protocol of Gemini: `generateContent`, whole and as a stream. */
export async function startGeminiModel(calls: readonly Call[]): Promise<ScriptedServer> {
  return startScriptedServer((exchange, reply) => {
    const { contents = [], tools = [] } = exchange.body as GeminiRequest;
    const results = contents
      .flatMap(({ parts = [] }) => parts)
      .flatMap(({ functionResponse }) => functionResponse ?? [])
      .map(({ response }) => JSON.stringify(response));
    const names = tools.flatMap(({ functionDeclarations = [] }) =>
      functionDeclarations.map(({ name }) => name),
    );
    const { text, name, input } = next(calls, names, results);
    const part = name === undefined ? { text } : { functionCall: { name, args: input } };
    const answer = {
      candidates: [{ index: 0, content: { role: "model", parts: [part] }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
      modelVersion: "test-model",
    };
    if (!exchange.path.includes(":streamGenerateContent")) return reply.json(200, answer);
    reply.head(200, { "content-type": "text/event-stream" });
    reply.write(`data: ${JSON.stringify(answer)}\r\n\r\n`);
    reply.end();
  });
}
