// Assembles tool calls from the fragments of a stream. Servers differ: repeated indexes, ids that are missing or sent with
// every fragment, whole calls in one fragment.
import { isObject, type JsonObject } from "../../base";
import { merge } from "./merge";
import { ObjectEnd } from "./object-end";

/** A call that a model requests. */
export interface RequestedCall {
  id: string | undefined;
  name: string;
  /** JSON text, which may be incomplete. */
  arguments: string;
  /** Other fields of the server, which it expects back. */
  more: JsonObject;
  /** The same of its `function`. */
  moreOfFunction: JsonObject;
}

export class CallFragments {
  readonly #calls: RequestedCall[] = [];
  /** The newest call of each index. */
  readonly #byIndex = new Map<number, RequestedCall>();
  readonly #byId = new Map<string, RequestedCall>();
  readonly #ends = new Map<RequestedCall, ObjectEnd>();
  readonly #isName: (name: string) => boolean;

  /** `isName`: whether a tool that the model may call has this name. */
  constructor(isName: (name: string) => boolean) {
    this.#isName = isName;
  }

  get calls(): readonly RequestedCall[] {
    return this.#calls;
  }

  /** Adds the `tool_calls` of one chunk. Ignores anything that is not a call. */
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
    const { name: givenName, arguments: text, ...moreOfFunction } = isObject(given) ? given : {};
    const name = typeof givenName === "string" && givenName !== "" ? givenName : undefined;
    const known = this.#known(index, id);
    const call =
      known === undefined || touched.has(known) || this.#isAnother(known, id, name)
        ? this.#start(index, name)
        : known;
    if (call === known && name !== undefined && name !== call.name) call.name += name;
    if (id !== undefined && call.id === undefined) {
      call.id = id;
      if (!this.#byId.has(id)) this.#byId.set(id, call);
    }
    const piece = textOf(text);
    call.arguments += piece;
    this.#ends.get(call)?.add(piece);
    merge(call.more, more);
    merge(call.moreOfFunction, moreOfFunction);
    return call;
  }

  #known(index: unknown, id: string | undefined): RequestedCall | undefined {
    const byId = id === undefined ? undefined : this.#byId.get(id);
    if (byId !== undefined) return byId;
    return typeof index === "number" ? this.#byIndex.get(index) : this.#calls.at(-1);
  }

  /** Whether a fragment with this index starts a new call. */
  #isAnother(known: RequestedCall, id: string | undefined, name: string | undefined): boolean {
    if (id !== undefined && known.id !== undefined) return id !== known.id;
    if (name === undefined) return false;
    if (name === known.name) return this.#ends.get(known)?.isWhole(known.arguments) === true;
    // A name in two parts counts only if both together are a tool name and the first part is not.
    return !(known.arguments === "" && !this.#isName(known.name) && this.#isName(known.name + name));
  }

  #start(index: unknown, name: string | undefined): RequestedCall {
    const call: RequestedCall = {
      id: undefined,
      name: name ?? "",
      arguments: "",
      more: {},
      moreOfFunction: {},
    };
    this.#calls.push(call);
    this.#ends.set(call, new ObjectEnd());
    if (typeof index === "number") this.#byIndex.set(index, call);
    return call;
  }
}

/** The calls of a whole message, even with equal ids. Ignores anything that is not a call. */
export function wholeCalls(calls: unknown): readonly RequestedCall[] {
  if (!Array.isArray(calls)) return [];
  return calls.filter(isObject).map((call) => {
    const { id, function: given, ...more } = call;
    delete more["type"];
    delete more["index"];
    const { name, arguments: text, ...moreOfFunction } = isObject(given) ? given : {};
    return {
      id: typeof id === "string" && id !== "" ? id : undefined,
      name: typeof name === "string" ? name : "",
      arguments: textOf(text),
      // The message was parsed from JSON.
      more: more as JsonObject,
      moreOfFunction: moreOfFunction as JsonObject,
    };
  });
}

// Some servers send an object instead of its text.
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return isObject(value) ? JSON.stringify(value) : "";
}
