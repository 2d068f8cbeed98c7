// Runs the calls of one turn. Each gets one tool message, in order, also if it fails or is not run.
import type { Authorization } from "../../authorization";
import type { Core } from "../../core";
import { RuntimeError } from "../../errors";
import type { Principal } from "../../identity";
import { type ExecuteOptions, meantCall, type Tool, type Tools } from "../../tools";
import type { ChatMessage } from "../upstream/client";
import { type Call, inputOf, nameOf } from "./call";
import { messageOf, notRun, outputText } from "./result";
import type { ToolSet } from "./tool-set";

export interface CallAnswer {
  message: ChatMessage;
  /** The whole output as text; the reason for a call that failed or was not run. */
  output: string;
  /** The consent that the call requires. */
  authorization?: Authorization;
}

export interface CallsParts {
  core: Core;
  tools: Tools;
  principal: Principal;
  set: ToolSet;
  signal: AbortSignal | undefined;
  idempotencyKey: string | undefined;
}

/** How many calls of one turn are run at most. */
const MAX_CALLS = 64;

interface Runnable {
  tool: Tool;
  input: { [key: string]: unknown };
}
type Prepared = Runnable | { fault: string };
type Unmet = { authorization: Authorization } | { refusal: RuntimeError } | undefined;

interface Item {
  call: Call;
  prepared: Prepared;
  /** Why it cannot run. */
  unmet: Unmet;
}

export class Calls {
  readonly #parts: CallsParts;
  /** How often each write was requested with the same input. */
  readonly #seen = new Map<string, number>();
  #ran = 0;
  #wrote = 0;

  constructor(parts: CallsParts) {
    this.#parts = parts;
  }

  /** The number of calls that ran. */
  get ran(): number {
    return this.#ran;
  }

  /** The number of calls that may have changed something. A later failure must mention them. */
  get wrote(): number {
    return this.#wrote;
  }

  /**
   * Runs the calls. If one of them requires a consent, none runs: the client repeats the request after the consent, and
   * the calls would run twice.
   */
  async *answers(calls: readonly Call[]): AsyncGenerator<CallAnswer, void> {
    const items = await Promise.all(calls.map((call, index) => this.#item(call, index)));
    if (items.some(({ unmet }) => unmet !== undefined && "authorization" in unmet)) {
      yield* items.map(waiting);
      return;
    }
    // Reads run in parallel; writes run in the order of the calls.
    const together = items.every(({ prepared }) => "fault" in prepared || isReading(prepared.tool));
    const running = together ? items.map((item) => this.#answer(item)) : undefined;
    for (const [index, item] of items.entries()) yield await (running?.[index] ?? this.#answer(item));
  }

  async #item(call: Call, index: number): Promise<Item> {
    const prepared =
      index < MAX_CALLS
        ? this.#prepare(call)
        : { fault: `Not run: at most ${MAX_CALLS} calls of one turn are run.` };
    return { call, prepared, unmet: "fault" in prepared ? undefined : await this.#unmetOf(prepared) };
  }

  #prepare({ name, arguments: text }: Call): Prepared {
    const tool = this.#parts.set.find(name);
    if (tool === undefined) return { fault: "There is no tool with this name. Use one of the given tools." };
    const input = inputOf(text);
    return input === undefined
      ? { fault: "The arguments are not a JSON object. Send them again." }
      : { tool, input };
  }

  async #unmetOf({ tool, input }: Runnable): Promise<Unmet> {
    const { tools, principal, set } = this.#parts;
    const request = { tool_name: tool.fullyQualifiedName, input, user_id: set.userId };
    try {
      const authorization = await tools.startMissingConsent(principal, request);
      return authorization === undefined ? undefined : { authorization };
    } catch (error) {
      if (error instanceof RuntimeError && error.status < 500) return { refusal: error };
      throw error;
    }
  }

  async #answer({ call, prepared, unmet }: Item): Promise<CallAnswer> {
    if ("fault" in prepared) return faulty(call, prepared);
    if (unmet !== undefined && "refusal" in unmet) return refused(call, unmet.refusal);
    const { core, signal } = this.#parts;
    if (signal?.aborted)
      return answered(call, notRun("UNKNOWN", "The caller disconnected before it ran."), "");
    const writes = isReading(prepared.tool) ? 0 : 1;
    this.#ran++;
    this.#wrote += writes;
    try {
      return await this.#run(call, prepared);
    } catch (error) {
      if (error instanceof RuntimeError && error.status < 500)
        return this.#refusedAtRun(call, prepared, error);
      // Every call gets an answer: the model gets an error, and the log has the reason.
      core.log.error("tool call of a chat completion failed", { tool: prepared.tool.qualifiedName, error });
      const message = "The tool failed because of an internal error.";
      return answered(call, notRun("TOOL_RUNTIME_FATAL", message), message);
    }
  }

  async #run(call: Call, { tool, input }: Runnable): Promise<CallAnswer> {
    const { core, tools, principal, set, signal } = this.#parts;
    const reads = isReading(tool);
    const execution = await tools.execute(
      principal,
      { tool_name: tool.fullyQualifiedName, input, user_id: set.userId },
      // A write that has started is finished; a request with the same idempotency key does not repeat it.
      {
        ...(reads ? { signal } : this.#onceOf(tool, input)),
        entry: "chat",
        callId: call.id,
      },
    );
    const { authorization } = execution.output ?? {};
    return {
      ...answered(call, messageOf(execution, core.settings["llm.tool_result_limit"]), outputText(execution)),
      ...(authorization === undefined ? {} : { authorization }),
    };
  }

  /** A token refresh during the run may have shown that the grant is dead or has lost scopes. */
  async #refusedAtRun(call: Call, prepared: Runnable, error: RuntimeError): Promise<CallAnswer> {
    const unmet = error.status === 403 ? await this.#unmetOf(prepared) : undefined;
    if (unmet === undefined || "refusal" in unmet) return refused(call, error);
    return { ...refused(call, error), authorization: unmet.authorization };
  }

  /** A repeat of the request may get another wording of the same call from the model. */
  #onceOf(tool: Tool, input: Runnable["input"]): Pick<ExecuteOptions, "idempotencyKey" | "sameAs"> {
    const { idempotencyKey } = this.#parts;
    if (idempotencyKey === undefined) return {};
    const sameAs = meantCall(tool, input);
    const count = (this.#seen.get(sameAs) ?? 0) + 1;
    this.#seen.set(sameAs, count);
    // A digest of both, so that the key stays short.
    const digest = new Bun.CryptoHasher("sha256").update(JSON.stringify([idempotencyKey, sameAs]));
    return { idempotencyKey: `chat:${digest.digest("base64url")}:${count}`, sameAs };
  }
}

function isReading({ definition }: Tool): boolean {
  return definition.metadata.behavior.read_only;
}

function answered(call: Call, content: string, output: string): CallAnswer {
  return { message: { role: "tool", tool_call_id: call.id, name: nameOf(call.name), content }, output };
}

function refused(call: Call, { message }: RuntimeError): CallAnswer {
  return answered(call, notRun("TOOL_REQUIREMENTS_NOT_MET", message), message);
}

function faulty(call: Call, { fault }: { fault: string }): CallAnswer {
  return answered(call, notRun("TOOL_RUNTIME_BAD_INPUT_VALUE", fault), fault);
}

/** The answers if one of the calls requires a consent. */
function waiting({ call, prepared, unmet }: Item): CallAnswer {
  if ("fault" in prepared) return faulty(call, prepared);
  if (unmet === undefined || "refusal" in unmet) {
    const message = "Not run: another call of this turn requires the user's consent first.";
    return answered(call, notRun("TOOL_REQUIREMENTS_NOT_MET", message), message);
  }
  const message = `Not run: authorization required. The user must consent before ${prepared.tool.qualifiedName} can run.`;
  return {
    ...answered(call, notRun("TOOL_REQUIREMENTS_NOT_MET", message), message),
    authorization: unmet.authorization,
  };
}
