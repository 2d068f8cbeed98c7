// Converts a stream of the messages protocol to chunks of chat completions.
import { isObject } from "../../../base";
import type { Loose } from "../client";
import { finishOf, usageOf } from "./answer";

/** Converts events to chunks, one event at a time. */
export class ChunksOf {
  readonly #now: number;
  #head: Loose = {};
  #usage: Loose = {};
  #isOver = false;
  /** Positions of calls, by the index of their block. */
  readonly #calls = new Map<unknown, number>();

  constructor(now: number) {
    this.#now = now;
  }

  /** Whether the end event of the protocol was received. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** The chunks of an event; pings, thinking and unknown events have none. */
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
      case "message_stop":
        this.#isOver = true;
        return [];
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
    if (delta["type"] === "text_delta" && typeof delta["text"] === "string") {
      return [this.#chunk({ content: delta["text"] })];
    }
    const place = this.#calls.get(index);
    if (delta["type"] !== "input_json_delta" || place === undefined) return [];
    const piece = delta["partial_json"];
    if (typeof piece !== "string" || piece === "") return [];
    return [this.#chunk({ tool_calls: [{ index: place, function: { arguments: piece } }] })];
  }

  #end(event: Loose): Loose[] {
    this.#count(event["usage"]);
    const reason = isObject(event["delta"]) ? event["delta"]["stop_reason"] : undefined;
    if (typeof reason !== "string") return [];
    return [this.#chunk({}, finishOf(reason)), { ...this.#head, choices: [], usage: usageOf(this.#usage) }];
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
