// A server that sends back the headers or the environment of a call would show a user's own keys to models and logs. What it
// says is passed on without them.
import { type Json, type JsonObject, parseJson, Redacted } from "../../base";
import { basicCredentials } from "../../connections";
import { ServerError } from "../../mcp";
import type { ToolContext } from "../../tools";
import { Withheld } from "../withheld";

export class WithheldKeys {
  readonly #withheld: Withheld | undefined;

  constructor({ userKeys }: Pick<ToolContext, "userKeys">) {
    const keys = Object.values(userKeys);
    if (keys.length === 0) return;
    this.#withheld = new Withheld([]);
    for (const key of keys) {
      this.#withheld.addToken(key);
      this.#withheld.addToken(new Redacted(basicCredentials(key.reveal())));
    }
  }

  /** The state that a server keeps with its caller stays: it is sealed, and only that server reads it. */
  result({ requestState, ...rest }: JsonObject): JsonObject {
    const shown = this.members(rest);
    return requestState === undefined ? shown : { ...shown, requestState };
  }

  members(params: JsonObject): JsonObject {
    return this.#without(params);
  }

  error(thrown: unknown): unknown {
    if (this.#withheld === undefined || !(thrown instanceof ServerError)) return thrown;
    const { code, message, data, status } = thrown;
    const said = this.#without({ message, ...(data === undefined ? {} : { data }) });
    return new ServerError(code, String(said["message"]), { data: said["data"], status });
  }

  #without(value: JsonObject): JsonObject {
    if (this.#withheld === undefined) return value;
    const text = JSON.stringify(value);
    const left = this.#withheld.withoutTokens(text);
    // Only the content of texts was replaced.
    return left === text ? value : (parseJson(left) as JsonObject & Json);
  }
}
