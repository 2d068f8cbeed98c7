// A call that a model requests: its id, name and input, in a form that every server accepts in a conversation.
import { isObject, mayHoldHalves, parseJson } from "../../base";
import type { RequestedCall } from "../stream/fragments";

/** A call with an id of its own. */
export interface Call extends RequestedCall {
  id: string;
}

/** The calls of a turn with unique ids, which connect them with their answers. */
export function withIds(calls: readonly RequestedCall[], newId: () => string): Call[] {
  const taken = new Set<string>();
  return calls.map((call) => {
    const id = call.id === undefined || taken.has(call.id) ? newId() : call.id;
    taken.add(id);
    return { ...call, id };
  });
}

/** A call as part of a message. Servers would refuse the conversation if the arguments were not a JSON object. */
export function toolCall({ id, name, arguments: text, more, moreOfFunction }: Call): object {
  return {
    ...more,
    id,
    type: "function",
    function: { ...moreOfFunction, name: nameOf(name), arguments: argumentsOf(text) },
  };
}

function argumentsOf(text: string): string {
  const input = isEmpty(text) ? undefined : inputOf(text);
  if (input === undefined) return "{}";
  return mayHoldHalves(text) ? JSON.stringify(input) : text;
}

/** The input of a call; empty text is an input without parameters. Undefined for anything but an object. */
export function inputOf(text: string): { [key: string]: unknown } | undefined {
  if (isEmpty(text)) return {};
  try {
    const value = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isEmpty(text: string): boolean {
  return ["", "null"].includes(text.trim());
}

// Servers may refuse a name that the model invented.
export function nameOf(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 64) || "unnamed";
}
