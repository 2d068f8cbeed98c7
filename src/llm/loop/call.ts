// One call that a model asks for: its id, its name and its input, in forms that every server takes back.
import { isObject, parseJson } from "../../base";
import type { RequestedCall } from "../stream/fragments";

/** A call with an id of its own. */
export interface Call extends RequestedCall {
  id: string;
}

/** The calls of a turn with ids that no two share: answers are told apart by them. */
export function withIds(calls: readonly RequestedCall[], newId: () => string): Call[] {
  const taken = new Set<string>();
  return calls.map((call) => {
    const id = call.id === undefined || taken.has(call.id) ? newId() : call.id;
    taken.add(id);
    return { ...call, id };
  });
}

/** A call as it stands in a message. What is no JSON object would have the whole conversation refused. */
export function toolCall({ id, name, arguments: text, more }: Call): object {
  return {
    ...more,
    id,
    type: "function",
    function: { name: nameOf(name), arguments: isNothing(text) || inputOf(text) === undefined ? "{}" : text },
  };
}

/** Nothing at all is an input without parameters. Undefined for what is no object. */
export function inputOf(text: string): { [key: string]: unknown } | undefined {
  if (isNothing(text)) return {};
  try {
    const value = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isNothing(text: string): boolean {
  return ["", "null"].includes(text.trim());
}

// A name that the model made up may be one that servers refuse.
export function nameOf(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 64) || "unnamed";
}
