// The tokens of ours and the users' own keys that were sent with a call. A server that echoes its requests must not show them to
// models: they say that the bearer is the user.
import { type JsonObject, parseJson, Redacted } from "../../base";
import { basicCredentials } from "../../connections";
import { type PeerOptions, ServerError } from "../../mcp";
import { Withheld } from "../withheld";

type Relay = Pick<PeerOptions, "notified" | "asked">;

export class OwnTokens {
  readonly #withheld = new Withheld([]);
  #hasSome = false;

  add(headers: Readonly<Record<string, Redacted>>): void {
    for (const token of Object.values(headers)) {
      this.#hasSome = true;
      this.#withheld.addToken(new Redacted(token.reveal().replace("Bearer ", "")));
    }
  }

  /** Also as they are encoded for basic authentication. */
  addKeys(keys: Readonly<Record<string, Redacted>>): void {
    for (const key of Object.values(keys)) {
      this.#hasSome = true;
      this.#withheld.addToken(key);
      this.#withheld.addToken(new Redacted(basicCredentials(key.reveal())));
    }
  }

  /** A result or the error of a server, without the tokens. */
  async withoutThem(request: Promise<JsonObject>): Promise<JsonObject> {
    try {
      return this.#clean(await request);
    } catch (thrown) {
      if (!this.#hasSome || !(thrown instanceof ServerError)) throw thrown;
      const { code, status, message, data } = thrown;
      const { text, more } = this.#clean({ text: message, ...(data === undefined ? {} : { more: data }) });
      throw new ServerError(code, String(text), { data: more, status });
    }
  }

  /** What a server sends before its reply, without the tokens. */
  guarded({ notified, asked }: Relay): Relay {
    return {
      ...(notified === undefined
        ? {}
        : { notified: (method, params) => notified(method, this.#clean(params)) }),
      ...(asked === undefined ? {} : { asked: (method, params) => asked(method, this.#clean(params)) }),
    };
  }

  #clean(value: JsonObject): JsonObject {
    if (!this.#hasSome) return value;
    const text = JSON.stringify(value);
    const clean = this.#withheld.withoutTokens(text);
    return clean === text ? value : (parseJson(clean) as JsonObject);
  }
}
