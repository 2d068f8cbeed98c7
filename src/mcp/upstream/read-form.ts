// The outcomes of prompts/get, resources/read and completion/complete. They have no place for a failure: it is an error.
import { isObject, type Json, type JsonObject } from "../../base";
import type { Execution, ServerAnswer } from "../../tools";
import type { AnswerForm, Reader } from "../answer-form";
import { CONSENT_NEEDED, INTERNAL_ERROR, INVALID_PARAMS, RpcError } from "../json-rpc";
import type { ResultFields } from "../result";
import { readable } from "./content";
import { passedMeta } from "./meta";
import { passedError } from "./passed-error";
import { itemsOf, type Shown } from "./passed-result";

export interface ReadFormOptions {
  reader: Reader;
  maxBytes: number;
  /**
   * The members of the result as clients get them; undefined if it is not a result of this kind. `isOriginal`: as the server
   * sent it, and not after hooks.
   */
  members(result: JsonObject, isOriginal: boolean): JsonObject | undefined;
  missing(): RpcError;
  /** Whether the result may be a request for input. */
  mayAsk: boolean;
}

type Failure = NonNullable<NonNullable<Execution["output"]>["error"]>;

/** Failures that the client can mend by other parameters. */
const OF_INPUT: readonly string[] = ["TOOL_RUNTIME_BAD_INPUT_VALUE", "TOOL_RUNTIME_RETRY"];

export function readForm(options: ReadFormOptions): AnswerForm {
  const { reader, maxBytes, mayAsk, missing } = options;
  return {
    mayAsk,
    missing: () => {
      throw missing();
    },
    answer: ({ output = {} }: Execution, answered: ServerAnswer | undefined): ResultFields => {
      if (output.error !== undefined) throw failed(output.error, answered, reader, maxBytes);
      if (answered !== undefined && "result" in answered) return resultOf(answered.result, true, options);
      return resultOf(output.value, false, options);
    },
    text: (text) => {
      throw new RpcError(INTERNAL_ERROR, text);
    },
    consent: ({ address, message }) => {
      throw new RpcError(CONSENT_NEEDED, `${message} The page: ${address}`, {
        data: { authorization_url: address },
      });
    },
  };
}

function failed(
  { message, kind, can_retry, retry_after_ms, status_code }: Failure,
  answered: ServerAnswer | undefined,
  reader: Reader,
  maxBytes: number,
): RpcError {
  const sent = answered !== undefined && "error" in answered ? answered.error : undefined;
  const passed = sent === undefined ? undefined : passedError(sent, reader, maxBytes);
  if (passed !== undefined) return passed;
  const error = {
    kind,
    can_retry,
    ...(retry_after_ms === undefined ? {} : { retry_after_ms }),
    ...(status_code === undefined ? {} : { status_code }),
  };
  return new RpcError(OF_INPUT.includes(kind) ? INVALID_PARAMS : INTERNAL_ERROR, message, {
    data: { error },
  });
}

function resultOf(
  result: unknown,
  isOriginal: boolean,
  { members, maxBytes }: ReadFormOptions,
): ResultFields {
  // The value of a run is JSON.
  const { _meta, resultType: _type, ...given } = isObject(result) ? (result as JsonObject) : {};
  const shown = members(given, isOriginal);
  if (shown === undefined)
    throw new RpcError(
      INTERNAL_ERROR,
      "The answer of the server, or of a hook, does not have the form of this request.",
    );
  const fields = JSON.stringify(shown).slice(1, -1);
  const meta = passedMeta(_meta);
  if (Buffer.byteLength(fields) > maxBytes)
    throw new RpcError(INTERNAL_ERROR, `The answer is larger than ${maxBytes} bytes (mcp.max_result_bytes).`);
  return { fields, ...(meta === undefined ? {} : { meta }) };
}

/** `shown`: how content is shown to the client. */
export function promptMembers(
  { messages, ...rest }: JsonObject,
  isOriginal: boolean,
  shown: Shown,
): JsonObject | undefined {
  if (!Array.isArray(messages)) return undefined;
  const told = itemsOf(messages).map((message) => {
    const { content } = message;
    if (!isObject(content)) return message;
    const [item] = shown([isOriginal ? (content as JsonObject) : readable(content as JsonObject)]);
    return { ...message, content: item ?? null };
  });
  return { ...rest, messages: told };
}

/** `uriOf`: how the address of a content is shown. */
export function resourceMembers(
  { contents, ttlMs, cacheScope: _scope, ...rest }: JsonObject,
  isOriginal: boolean,
  { modern }: Reader,
  uriOf: (uri: string) => string,
): JsonObject | undefined {
  if (!Array.isArray(contents)) return undefined;
  const read = itemsOf(contents).map((item) => {
    const { uri } = item;
    const named = typeof uri === "string" ? { ...item, uri: uriOf(uri) } : item;
    return isOriginal || isReadable(named) ? named : { ...named, text: JSON.stringify(named) };
  });
  // What one user reads is never for others.
  const hints = modern ? { ttlMs: isDuration(ttlMs) ? ttlMs : 0, cacheScope: "private" } : {};
  return { ...rest, contents: read, ...hints };
}

function isReadable({ text, blob }: JsonObject): boolean {
  return typeof text === "string" || typeof blob === "string";
}

function isDuration(value: Json | undefined): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** The protocol allows so many. */
const MOST_VALUES = 100;

export function completionMembers({ completion, ...rest }: JsonObject): JsonObject | undefined {
  if (!isObject(completion) || !Array.isArray(completion["values"])) return undefined;
  const { values: given, ...more } = completion as { values: Json[] };
  const values = given.filter((value) => typeof value === "string").slice(0, MOST_VALUES);
  return { ...rest, completion: { ...more, values } };
}
