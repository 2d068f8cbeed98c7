// The output items of a response, and the events that build them, in the order of the protocol.
import type { Loose } from "../upstream/client";

export type ResponseEvent = Loose & { type: string };

/** A text item that is being written. */
interface OpenText {
  kind: "reasoning" | "message";
  index: number;
  id: string;
  text: string;
  logprobs: unknown[];
  /** The model refuses. */
  refuses: boolean;
}

/** A call that this server runs. */
interface OpenRun {
  index: number;
  item: Loose;
}

export type Status = "completed" | "incomplete";

export class OutputItems {
  readonly #newId: (prefix: string) => string;
  readonly #items: Loose[] = [];
  readonly #runs = new Map<string, OpenRun>();
  #events: ResponseEvent[] = [];
  #open: OpenText | undefined;

  constructor(newId: (prefix: string) => string) {
    this.#newId = newId;
  }

  /** All items so far. */
  get items(): readonly Loose[] {
    return this.#items;
  }

  has(id: string): boolean {
    return this.#items.some((item) => item["id"] === id);
  }

  /** The events since the last look. */
  takeEvents(): ResponseEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  addReasoning(delta: string): void {
    const open = this.#opened("reasoning");
    open.text += delta;
    this.#emit("response.reasoning_text.delta", { ...placeOf(open), delta });
  }

  addText(delta: string, logprobs: readonly unknown[]): void {
    const open = this.#opened("message");
    open.text += delta;
    open.logprobs.push(...logprobs);
    this.#emit("response.output_text.delta", { ...placeOf(open), delta, logprobs });
  }

  addRefusal(delta: string): void {
    const open = this.#opened("message", true);
    open.text += delta;
    this.#emit("response.refusal.delta", { ...placeOf(open), delta });
  }

  /**
   * Ends the open text and keeps `kept` for the server of the model: with the reasoning if that is open, or in an item of
   * its own.
   */
  close(kept?: string, status: Status = "completed"): void {
    const open = this.#open;
    this.#open = undefined;
    const isWithReasoning = open?.kind === "reasoning";
    if (open !== undefined) this.#finish(open, isWithReasoning ? kept : undefined, status);
    if (kept !== undefined && !isWithReasoning) this.#addKept(kept);
  }

  /** A call that the caller runs. */
  addCall(
    call: { call_id: string; name: string; arguments: string; namespace?: string },
    status: Status,
  ): void {
    const item = { type: "function_call", id: this.#newId("fc"), ...call };
    const index = this.#start({ ...item, arguments: "", status: "in_progress" });
    const place = { item_id: item.id, output_index: index };
    this.#emit("response.function_call_arguments.delta", { ...place, delta: call.arguments });
    this.#emit("response.function_call_arguments.done", {
      ...place,
      name: call.name,
      arguments: call.arguments,
    });
    this.#end(index, { ...item, status });
  }

  /** A call that this server runs. The item has the id of the call, because it comes back with the output. */
  startRun(id: string, name: string, text: string): void {
    const item = {
      type: "mcp_call",
      id,
      server_label: "runtime",
      name,
      arguments: text,
      approval_request_id: null,
      output: null,
      error: null,
    };
    const index = this.#start({ ...item, arguments: "", status: "in_progress" });
    const place = { item_id: id, output_index: index };
    this.#emit("response.mcp_call.in_progress", place);
    this.#emit("response.mcp_call_arguments.delta", { ...place, delta: text });
    this.#emit("response.mcp_call_arguments.done", { ...place, arguments: text });
    this.#runs.set(id, { index, item });
  }

  endRun(id: string, output: string, error: string | undefined): void {
    const run = this.#runs.get(id);
    if (run === undefined) return;
    this.#runs.delete(id);
    const status = error === undefined ? "completed" : "failed";
    this.#emit(`response.mcp_call.${status}`, { item_id: id, output_index: run.index });
    const fault =
      error === undefined ? null : { type: "mcp_tool_execution_error", content: [textPart(error)] };
    this.#end(run.index, { ...run.item, output, error: fault, status });
  }

  #opened(kind: OpenText["kind"], refuses = false): OpenText {
    const before = this.#open;
    if (before?.kind === kind && before.refuses === refuses) return before;
    this.close();
    const id = this.#newId(kind === "reasoning" ? "rs" : "msg");
    const start =
      kind === "reasoning"
        ? { type: kind, id, summary: [], content: [] }
        : { type: kind, id, role: "assistant", content: [] };
    const index = this.#start({ ...start, status: "in_progress" });
    const open = { kind, index, id, text: "", logprobs: [], refuses };
    this.#emit("response.content_part.added", { ...placeOf(open), part: partOf(open) });
    this.#open = open;
    return open;
  }

  #finish(open: OpenText, kept: string | undefined, status: Status): void {
    const { kind, index, id, text, logprobs, refuses } = open;
    const [place, part] = [placeOf(open), partOf(open)];
    if (kind === "reasoning") this.#emit("response.reasoning_text.done", { ...place, text });
    else if (refuses) this.#emit("response.refusal.done", { ...place, refusal: text });
    else this.#emit("response.output_text.done", { ...place, text, logprobs });
    this.#emit("response.content_part.done", { ...place, part });
    this.#end(
      index,
      kind === "reasoning"
        ? { type: kind, id, summary: [], content: [part], encrypted_content: kept ?? null, status }
        : { type: kind, id, role: "assistant", content: [part], status },
    );
  }

  #addKept(kept: string): void {
    const item = { type: "reasoning", id: this.#newId("rs"), summary: [] };
    const index = this.#start({ ...item, status: "in_progress" });
    this.#end(index, { ...item, encrypted_content: kept, status: "completed" });
  }

  #start(item: Loose): number {
    const index = this.#items.push(item) - 1;
    this.#emit("response.output_item.added", { output_index: index, item });
    return index;
  }

  #end(index: number, item: Loose): void {
    this.#items[index] = item;
    this.#emit("response.output_item.done", { output_index: index, item });
  }

  #emit(type: string, fields: Loose): void {
    this.#events.push({ type, ...fields });
  }
}

function placeOf({ id, index }: OpenText): Loose {
  return { item_id: id, output_index: index, content_index: 0 };
}

function partOf({ kind, text, logprobs, refuses }: OpenText): Loose {
  if (kind === "reasoning") return { type: "reasoning_text", text };
  return refuses
    ? { type: "refusal", refusal: text }
    : { type: "output_text", text, annotations: [], logprobs: [...logprobs] };
}

function textPart(text: string): Loose {
  return { type: "text", text };
}
