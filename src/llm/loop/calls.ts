// The calls of one turn: each is answered by one tool message, in order, whatever becomes of it.
import type { Authorization } from "../../authorization";
import type { Core } from "../../core";
import { RuntimeError } from "../../errors";
import type { Principal } from "../../identity";
import type { Tool, Tools } from "../../tools";
import type { ChatMessage } from "../upstream/client";
import { type Call, inputOf, nameOf } from "./call";
import { messageOf, notRun, outputText } from "./result";
import type { ToolSet } from "./tool-set";

export interface Answered {
  message: ChatMessage;
  /** The output as text, whole; for a call that failed or was not run, why. */
  output: string;
  /** What the user owes before it can run. */
  authorization?: Authorization;
}

export interface CallsFor {
  core: Core;
  tools: Tools;
  principal: Principal;
  set: ToolSet;
  signal: AbortSignal | undefined;
  idempotencyKey: string | undefined;
}

/** The most calls of one turn that are run. */
const MOST_CALLS = 64;

interface Runnable {
  tool: Tool;
  input: { [key: string]: unknown };
}
type Prepared = Runnable | { fault: string };
type Owed = { authorization: Authorization } | { refusal: RuntimeError } | undefined;

interface Item {
  call: Call;
  prepared: Prepared;
  owed: Owed;
}

export class Calls {
  readonly #for: CallsFor;
  /** How often each write was asked for with the same input. */
  readonly #seen = new Map<string, number>();
  #ran = 0;
  #wrote = 0;

  constructor(parts: CallsFor) {
    this.#for = parts;
  }

  /** How many calls ran. */
  get ran(): number {
    return this.#ran;
  }

  /** How many of them may have changed something: a failure after them must not look like one that did nothing. */
  get wrote(): number {
    return this.#wrote;
  }

  /**
   * Runs the calls. When the user owes a consent for one of them, none runs: the request is sent again after the
   * consent, and what had run would run twice.
   */
  async *answers(calls: readonly Call[]): AsyncGenerator<Answered, void> {
    const items = await Promise.all(calls.map((call, index) => this.#item(call, index)));
    if (items.some(({ owed }) => owed !== undefined && "authorization" in owed)) {
      yield* items.map(waiting);
      return;
    }
    // What only reads may run side by side; writes run in the order in which the model asked for them.
    const together = items.every(({ prepared }) => "fault" in prepared || isReading(prepared.tool));
    const running = together ? items.map((item) => this.#answer(item)) : undefined;
    for (const [index, item] of items.entries()) yield await (running?.[index] ?? this.#answer(item));
  }

  async #item(call: Call, index: number): Promise<Item> {
    const prepared =
      index < MOST_CALLS
        ? this.#prepare(call)
        : { fault: `More than ${MOST_CALLS} calls in one turn are not run.` };
    return { call, prepared, owed: "fault" in prepared ? undefined : await this.#owed(prepared) };
  }

  #prepare({ name, arguments: text }: Call): Prepared {
    const tool = this.#for.set.find(name);
    if (tool === undefined)
      return { fault: "There is no tool of this name. Use one of those that are offered." };
    const input = inputOf(text);
    return input === undefined
      ? { fault: "The arguments are not a JSON object. Send them again." }
      : { tool, input };
  }

  async #owed({ tool, input }: Runnable): Promise<Owed> {
    const { tools, principal, set } = this.#for;
    const request = { tool_name: tool.fullyQualifiedName, input, user_id: set.userId };
    try {
      const authorization = await tools.owed(principal, request);
      return authorization === undefined ? undefined : { authorization };
    } catch (error) {
      if (error instanceof RuntimeError && error.status < 500) return { refusal: error };
      throw error;
    }
  }

  async #answer({ call, prepared, owed }: Item): Promise<Answered> {
    if ("fault" in prepared) return faulty(call, prepared);
    if (owed !== undefined && "refusal" in owed) return refused(call, owed.refusal);
    const { core, signal } = this.#for;
    if (signal?.aborted) return answered(call, notRun("UNKNOWN", "The caller was gone before it ran."), "");
    const writes = isReading(prepared.tool) ? 0 : 1;
    this.#ran++;
    this.#wrote += writes;
    try {
      return await this.#run(call, prepared);
    } catch (error) {
      if (error instanceof RuntimeError && error.status < 500)
        return this.#owedAfterAll(call, prepared, error);
      // Every call is answered: the model is told, and the log has the reason.
      core.log.error("tool call of a chat completion failed", { tool: prepared.tool.qualifiedName, error });
      const message = "The tool failed for a reason of its own.";
      return answered(call, notRun("TOOL_RUNTIME_FATAL", message), message);
    }
  }

  async #run(call: Call, { tool, input }: Runnable): Promise<Answered> {
    const { core, tools, principal, set, signal } = this.#for;
    const reads = isReading(tool);
    const execution = await tools.execute(
      principal,
      { tool_name: tool.fullyQualifiedName, input, user_id: set.userId },
      // A write that has begun is finished, and a repeat of the request under the same key does not do it again.
      reads ? { signal } : { idempotencyKey: this.#keyOf(tool, input) },
    );
    const { authorization } = execution.output ?? {};
    return {
      ...answered(call, messageOf(execution, core.settings["llm.tool_result_limit"]), outputText(execution)),
      ...(authorization === undefined ? {} : { authorization }),
    };
  }

  /** A refresh has just shown that the grant is dead or has become smaller. */
  async #owedAfterAll(call: Call, prepared: Runnable, error: RuntimeError): Promise<Answered> {
    const owed = error.status === 403 ? await this.#owed(prepared) : undefined;
    if (owed === undefined || "refusal" in owed) return refused(call, error);
    return { ...refused(call, error), authorization: owed.authorization };
  }

  #keyOf(tool: Tool, input: object): string | undefined {
    const { idempotencyKey } = this.#for;
    if (idempotencyKey === undefined) return undefined;
    const what = JSON.stringify([tool.fullyQualifiedName, input]);
    const count = (this.#seen.get(what) ?? 0) + 1;
    this.#seen.set(what, count);
    // A digest of both: the longest key of a request must not make one that is too long.
    const both = JSON.stringify([idempotencyKey, what]);
    return `chat:${new Bun.CryptoHasher("sha256").update(both).digest("base64url")}:${count}`;
  }
}

function isReading({ definition }: Tool): boolean {
  return definition.metadata.behavior.read_only;
}

function answered(call: Call, content: string, output: string): Answered {
  return { message: { role: "tool", tool_call_id: call.id, name: nameOf(call.name), content }, output };
}

function refused(call: Call, { message }: RuntimeError): Answered {
  return answered(call, notRun("TOOL_REQUIREMENTS_NOT_MET", message), message);
}

function faulty(call: Call, { fault }: { fault: string }): Answered {
  return answered(call, notRun("TOOL_RUNTIME_BAD_INPUT_VALUE", fault), fault);
}

/** Answers while a consent is owed. */
function waiting({ call, prepared, owed }: Item): Answered {
  if ("fault" in prepared) return faulty(call, prepared);
  if (owed === undefined || "refusal" in owed) {
    const message = "Not run: the user must first give the consent that another call of this turn needs.";
    return answered(call, notRun("TOOL_REQUIREMENTS_NOT_MET", message), message);
  }
  const message = `Not run: authorization required. The user must consent before ${prepared.tool.qualifiedName} can run.`;
  return {
    ...answered(call, notRun("TOOL_REQUIREMENTS_NOT_MET", message), message),
    authorization: owed.authorization,
  };
}
