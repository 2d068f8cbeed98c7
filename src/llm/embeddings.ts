// Embeddings: passed through to the server of the model.
import { type Static, Type } from "typebox";
import type { Abortable } from "../base";
import type { Core } from "../core";
import { invalidParameter } from "../errors";
import type { Principal, Suspensions } from "../identity";
import type { Models } from "./models";
import { passedOn } from "./passed-on";
import { checkUser } from "./prepare";
import { replaceField } from "./replace-field";
import { callWhole } from "./upstream/call";
import { unreadable } from "./upstream/failure";

export const EmbeddingsRequest = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 300 }),
    input: Type.Union([Type.String(), Type.Array(Type.Unknown())], {
      description: "A text, a list of texts, or their tokens.",
    }),
    user: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    encoding_format: Type.Optional(Type.String()),
    dimensions: Type.Optional(Type.Integer({ minimum: 1 })),
  },
  // Fields of the model server that we do not know.
  passedOn(["model", "input", "user", "encoding_format", "dimensions"], ["models", "inputs", "dimension"]),
);
export type EmbeddingsRequest = Static<typeof EmbeddingsRequest>;

export const EmbeddingsResponse = Type.Object(
  {
    object: Type.Optional(Type.String()),
    model: Type.Optional(Type.String()),
    data: Type.Array(
      Type.Object({
        index: Type.Optional(Type.Integer()),
        embedding: Type.Union([Type.Array(Type.Number()), Type.String({ description: "Base64." })]),
      }),
    ),
    usage: Type.Optional(Type.Object({ prompt_tokens: Type.Integer(), total_tokens: Type.Integer() })),
  },
  { description: "As the server of the model sends it." },
);

export interface EmbeddingsCall {
  /** Checked. */
  request: EmbeddingsRequest;
  /** The request body as text. */
  text: string;
  /** Aborts when the caller disconnects. */
  signal?: Abortable | undefined;
}

export class Embeddings {
  readonly #core: Core;
  readonly #models: Models;
  readonly #suspensions: Suspensions;

  constructor(core: Core, models: Models, suspensions: Suspensions) {
    this.#core = core;
    this.#models = models;
    this.#suspensions = suspensions;
  }

  /** The answer of the server as text. Throws as chat completions do. */
  async create(principal: Principal, { request, text, signal }: EmbeddingsCall): Promise<string> {
    await checkUser(this.#suspensions, principal, request);
    const { server, model } = await this.#models.choose(principal.projectId, request.model);
    const { embeddingsUrl: url, id } = server;
    if (url === undefined) {
      throw invalidParameter(
        `model: the model entry "${id}" has no embeddings, because its server speaks the messages protocol. Use a model of another entry.`,
      );
    }
    const body = model === request.model ? text : replaceField(text, "model", model);
    const timeoutMs = this.#core.settings["llm.timeout"] * 1000;
    const answer = await callWhole(this.#core, server, body, { signal, timeoutMs, url, model });
    if (!Array.isArray(answer.value["data"])) throw unreadable(server, 200, "no embeddings");
    return answer.text;
  }
}
