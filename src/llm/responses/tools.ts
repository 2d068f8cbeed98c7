// The tools of a request in the form of chat completions: functions are nested there.
import { isObject } from "../../base";
import { invalidParameter } from "../../errors";
import type { ChatRequest } from "../schema";
import { joinedName, type Namespaces } from "./names";
import type { ResponsesRequest } from "./schema";

type Loose = { [field: string]: unknown };
type ChatTools = NonNullable<ChatRequest["tools"]>;
type ChatChoice = NonNullable<ChatRequest["tool_choice"]>;

/** Throws `invalid_parameter` for tools that only the server of the model could run. */
export function chatTools(tools: ResponsesRequest["tools"] = []): ChatTools {
  return tools.flatMap((tool, index) =>
    typeof tool === "string" ? [tool] : functionsOf(tool, `tools.${index}`),
  );
}

export function namespacesOf(tools: ResponsesRequest["tools"] = []): Namespaces {
  const spaces = listOf(tools).filter(({ type }) => type === "namespace");
  return new Map(
    spaces.flatMap(({ name: space, tools: inner }) =>
      listOf(inner).flatMap(({ name }) =>
        typeof space === "string" && typeof name === "string"
          ? [[joinedName(space, name), { namespace: space, name }] as const]
          : [],
      ),
    ),
  );
}

function functionsOf(tool: Loose, place: string): ChatTools {
  if (tool["type"] === "namespace") {
    return listOf(tool["tools"]).flatMap((inner, index) =>
      functionsOf(inner, `${place}.tools.${index}`).map((one) => inNamespace(tool["name"], one)),
    );
  }
  if (tool["type"] !== "function") {
    throw invalidParameter(
      `${place}: tools of this type run at the server of the model, and this model is called without them. Use functions or names of tools of this server.`,
    );
  }
  const { function: nested, name, description, parameters, strict } = tool;
  // As `formatted_tools` returns them.
  const called = isObject(nested) ? nested : { name, description, parameters, strict };
  if (typeof called["name"] !== "string" || called["name"] === "") {
    throw invalidParameter(`${place}.name is required.`);
  }
  const given = Object.entries(called).filter(([, value]) => value !== undefined && value !== null);
  return [{ type: "function", function: { name: called["name"], ...Object.fromEntries(given) } }];
}

function inNamespace(space: unknown, tool: ChatTools[number]): ChatTools[number] {
  if (typeof tool === "string" || tool.function === undefined) return tool;
  return { ...tool, function: { ...tool.function, name: joinedName(space, tool.function.name) } };
}

/** Throws `invalid_parameter` for a choice that chat completions do not have. */
export function chatChoice(choice: ResponsesRequest["tool_choice"]): ChatChoice | undefined {
  if (!isObject(choice)) return choice;
  const { type, name, namespace, function: nested } = choice;
  const called = isObject(nested) ? nested["name"] : name;
  if (type !== "function" || typeof called !== "string") {
    throw invalidParameter(
      "tool_choice must be none, auto, required, execute, generate or a function with its name for this model.",
    );
  }
  return { type: "function", function: { name: joinedName(namespace, called) } };
}

/** A function object of chat completions in the form of Responses. */
export function flatTool(tool: unknown): unknown {
  if (!isObject(tool) || !isObject(tool["function"])) return tool;
  const { name, description, parameters, strict } = tool["function"];
  return { type: "function", name, description, parameters: parameters ?? null, strict: strict ?? null };
}

/** The same for a choice. */
export function flatChoice(choice: unknown): unknown {
  if (!isObject(choice) || !isObject(choice["function"])) return choice;
  return { type: "function", name: choice["function"]["name"] };
}

function listOf(value: unknown): Loose[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/**
 * The names of tools of this server among the tools of a request, the other tools, and a request of chat completions that
 * has what concerns the former.
 */
export function ownTools({ model, user, tools = [], tool_choice: choice }: ResponsesRequest) {
  const own = tools.filter((tool) => typeof tool === "string");
  const isNamed = isObject(choice) && typeof choice["name"] === "string" && own.length > 0;
  const others = tools.filter((tool) => typeof tool !== "string");
  const functions = others.filter((tool) => tool.type === "function");
  return {
    own,
    others: others.filter((tool) => tool.type !== "function"),
    chosen: {
      model,
      // Required there, and not looked at.
      messages: [{ role: "user", content: "" }],
      tools: [...own, ...chatTools(functions)],
      ...(user === undefined ? {} : { user }),
      ...(isNamed ? { tool_choice: chatChoice(choice) } : {}),
    },
  };
}
