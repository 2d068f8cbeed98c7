// One turn of a model whose calls the caller runs, in the form of the loop.
import { newToken } from "../../crypto";
import type { Core } from "../../core";
import { withIds } from "../loop/call";
import { outcomeOf } from "../loop/converse";
import type { Steps } from "../loop/answer";
import { streamTurn, turnOf } from "../loop/turn";
import type { RequestedCall } from "../stream/fragments";
import type { CallOptions } from "../upstream/call";
import type { ChatBody, ModelClient } from "../upstream/client";

export interface SingleTurn {
  core: Core;
  client: ModelClient;
  body: ChatBody;
  streams: boolean;
  options: CallOptions;
  /** Whether the model may call a tool with this name. */
  isName(name: string): boolean;
}

/** Throws the error for the caller. */
export async function* singleTurn({ core, client, body, streams, options, isName }: SingleTurn): Steps {
  const turn = streams
    ? yield* streamTurn(client.stream(body, options), isName)
    : turnOf(await client.whole(body, options));
  const calls = withIds(turn.calls, () => `call_${newToken(core.random).slice(0, 24)}`);
  return {
    ...outcomeOf(turn, [], turn.usage),
    finish: turn.isCut ? "length" : turn.finish,
    calls: calls.map(asSent),
  };
}

/** The arguments as the model wrote them: only its caller knows what they must be. */
function asSent({ id, name, arguments: text, more, moreOfFunction }: RequestedCall): object {
  const given = text.trim() === "" ? "{}" : text;
  return { ...more, id, type: "function", function: { ...moreOfFunction, name, arguments: given } };
}
