// Calls of tools, put together from the fragments of a stream. Servers differ: indices that repeat, ids that are missing
// or come again with every fragment, whole calls in one piece.
import { isObject, type JsonObject } from "../../base";

/** A call that a model asks for. */
export interface RequestedCall {
  id: string | undefined;
  name: string;
  /** JSON text, as far as the model got. */
  arguments: string;
  /** Whatever else the server says about it; it wants that back. */
  more: JsonObject;
}

export class CallFragments {
  readonly #calls: RequestedCall[] = [];
  /** The newest call of each index. */
  readonly #byIndex = new Map<number, RequestedCall>();
  readonly #isName: (name: string) => boolean;

  /** `isName`: whether a tool that the model may call has this name. */
  constructor(isName: (name: string) => boolean) {
    this.#isName = isName;
  }

  get calls(): readonly RequestedCall[] {
    return this.#calls;
  }

  /** The `tool_calls` of one chunk. What has no form of a call is passed over. */
  add(fragments: unknown): void {
    if (!Array.isArray(fragments)) return;
    // Two fragments of one chunk never belong to the same call.
    const touched = new Set<RequestedCall>();
    for (const fragment of fragments) {
      if (isObject(fragment)) touched.add(this.#place(fragment, touched));
    }
  }

  #place(fragment: { [key: string]: unknown }, touched: ReadonlySet<RequestedCall>): RequestedCall {
    const { index, id: givenId, function: given, type: _, ...more } = fragment;
    const id = typeof givenId === "string" && givenId !== "" ? givenId : undefined;
    const { name: givenName, arguments: text } = isObject(given) ? given : {};
    const name = typeof givenName === "string" && givenName !== "" ? givenName : undefined;
    const known = this.#known(index, id);
    const call =
      known === undefined || touched.has(known) || this.#isAnother(known, id, name)
        ? this.#begin(index, name)
        : known;
    if (call === known && name !== undefined && name !== call.name) call.name += name;
    call.id ??= id;
    call.arguments += textOf(text);
    // JSON of a chunk holds nothing but JSON.
    Object.assign(call.more, more as JsonObject);
    return call;
  }

  #known(index: unknown, id: string | undefined): RequestedCall | undefined {
    const byId = id === undefined ? undefined : this.#calls.find((call) => call.id === id);
    if (byId !== undefined) return byId;
    return typeof index === "number" ? this.#byIndex.get(index) : this.#calls.at(-1);
  }

  /** Whether a fragment for this place begins a new call there. */
  #isAnother(known: RequestedCall, id: string | undefined, name: string | undefined): boolean {
    if (id !== undefined && known.id !== undefined) return id !== known.id;
    if (name === undefined) return false;
    if (name === known.name) return isWhole(known.arguments);
    // A name in two parts is only believed when both together are one, and the first alone is none.
    return !(known.arguments === "" && !this.#isName(known.name) && this.#isName(known.name + name));
  }

  #begin(index: unknown, name: string | undefined): RequestedCall {
    const call: RequestedCall = { id: undefined, name: name ?? "", arguments: "", more: {} };
    this.#calls.push(call);
    if (typeof index === "number") this.#byIndex.set(index, call);
    return call;
  }
}

/** Calls of a whole message: one each, whatever their ids. What has no form of a call is passed over. */
export function wholeCalls(calls: unknown): readonly RequestedCall[] {
  if (!Array.isArray(calls)) return [];
  return calls.filter(isObject).map((call) => {
    const { id, function: given, ...more } = call;
    delete more["type"];
    delete more["index"];
    const { name, arguments: text } = isObject(given) ? given : {};
    return {
      id: typeof id === "string" && id !== "" ? id : undefined,
      name: typeof name === "string" ? name : "",
      arguments: textOf(text),
      // JSON of a message holds nothing but JSON.
      more: more as JsonObject,
    };
  });
}

// Some servers send an object where the text of one belongs.
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return isObject(value) ? JSON.stringify(value) : "";
}

function isWhole(text: string): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}
