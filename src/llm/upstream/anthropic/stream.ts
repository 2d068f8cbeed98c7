// Converts a stream of the messages protocol to chunks of chat completions.
import { isObject } from "../../../base";
import { inputOf } from "../../loop/call";
import { merge } from "../../stream/merge";
import type { Loose } from "../client";
import { finishOf, usageOf } from "./answer";
import { blockFields } from "./blocks";

/** Converts events to chunks, one event at a time. */
export class ChunksOf {
  readonly #now: number;
  #head: Loose = {};
  #usage: Loose = {};
  /** The content so far, by the index of each block. */
  readonly #blocks = new Map<unknown, Loose>();
  /** JSON text of inputs that arrive in pieces. */
  readonly #inputs = new Map<unknown, string>();
  /** Positions of calls, by the index of their block. */
  readonly #calls = new Map<unknown, number>();

  constructor(now: number) {
    this.#now = now;
  }

  /** The chunks of an event; pings and unknown events have none. */
  add(event: Loose): Loose[] {
    switch (event["type"]) {
      case "message_start":
        return this.#start(isObject(event["message"]) ? event["message"] : {});
      case "content_block_start":
        return this.#startBlock(
          event["index"],
          isObject(event["content_block"]) ? event["content_block"] : {},
        );
      case "content_block_delta":
        return this.#delta(event["index"], isObject(event["delta"]) ? event["delta"] : {});
      case "message_delta":
        return this.#end(event);
      default:
        return [];
    }
  }

  #start(message: Loose): Loose[] {
    this.#head = {
      id: message["id"],
      object: "chat.completion.chunk",
      created: this.#now,
      model: message["model"],
    };
    this.#count(message["usage"]);
    return [this.#chunk({ role: "assistant", content: "" })];
  }

  #startBlock(index: unknown, block: Loose): Loose[] {
    this.#blocks.set(index, { ...block });
    if (block["type"] === "thinking" && typeof block["thinking"] === "string" && block["thinking"] !== "") {
      return [this.#chunk({ reasoning_content: block["thinking"] })];
    }
    if (block["type"] === "text" && typeof block["text"] === "string" && block["text"] !== "") {
      return [this.#chunk({ content: block["text"] })];
    }
    if (block["type"] !== "tool_use") return [];
    const place = this.#calls.size;
    this.#calls.set(index, place);
    // Contains the whole input only if no pieces of it follow.
    const input =
      isObject(block["input"]) && Object.keys(block["input"]).length > 0
        ? JSON.stringify(block["input"])
        : "";
    const called = { name: block["name"], arguments: input };
    return [
      this.#chunk({ tool_calls: [{ index: place, id: block["id"], type: "function", function: called }] }),
    ];
  }

  #delta(index: unknown, delta: Loose): Loose[] {
    this.#keep(index, delta);
    if (delta["type"] === "thinking_delta" && typeof delta["thinking"] === "string") {
      return [this.#chunk({ reasoning_content: delta["thinking"] })];
    }
    if (delta["type"] === "text_delta" && typeof delta["text"] === "string") {
      return [this.#chunk({ content: delta["text"] })];
    }
    const place = this.#calls.get(index);
    if (delta["type"] !== "input_json_delta" || place === undefined) return [];
    const piece = delta["partial_json"];
    if (typeof piece !== "string" || piece === "") return [];
    return [this.#chunk({ tool_calls: [{ index: place, function: { arguments: piece } }] })];
  }

  /** Adds a fragment to its block, as the whole answer would have it. */
  #keep(index: unknown, delta: Loose): void {
    const block = this.#blocks.get(index);
    if (block === undefined) return;
    const { type, partial_json: piece, citation, ...fields } = delta;
    if (type === "input_json_delta")
      this.#inputs.set(index, (this.#inputs.get(index) ?? "") + String(piece ?? ""));
    else if (type === "citations_delta") merge(block, { citations: [citation] });
    else merge(block, fields);
  }

  #content(): Loose[] {
    return [...this.#blocks].map(([index, block]) => {
      const text = this.#inputs.get(index) ?? "";
      return text === "" ? block : { ...block, input: inputOf(text) ?? {} };
    });
  }

  #end(event: Loose): Loose[] {
    this.#count(event["usage"]);
    const reason = isObject(event["delta"]) ? event["delta"]["stop_reason"] : undefined;
    if (typeof reason !== "string") return [];
    const fields = blockFields(this.#content());
    const kept = Object.keys(fields).length === 0 ? [] : [this.#chunk(fields)];
    return [
      ...kept,
      this.#chunk({}, finishOf(reason)),
      { ...this.#head, choices: [], usage: usageOf(this.#usage) },
    ];
  }

  // Counts are totals of the message so far: each replaces the previous one.
  #count(usage: unknown): void {
    if (!isObject(usage)) return;
    const counts = Object.entries(usage).filter(([, value]) => typeof value === "number");
    Object.assign(this.#usage, Object.fromEntries(counts));
  }

  #chunk(delta: Loose, finish: string | null = null): Loose {
    return { ...this.#head, choices: [{ index: 0, delta, finish_reason: finish }] };
  }
}
