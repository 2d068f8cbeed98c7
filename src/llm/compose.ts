// The services of this area, which share the model entries.
import type { Audit } from "../audit";
import type { StaticModel } from "../config";
import type { Core } from "../core";
import type { Suspensions } from "../identity";
import type { Tools } from "../tools";
import { Embeddings } from "./embeddings";
import { Models } from "./models";
import { Responses } from "./responses/service";
import { Chat } from "./service";

export interface ModelServices {
  readonly models: Models;
  readonly chat: Chat;
  readonly responses: Responses;
  readonly embeddings: Embeddings;
}

/** `fixed`: the entries of the configuration. */
export function modelServices(
  core: Core,
  audit: Audit,
  tools: Tools,
  fixed: readonly StaticModel[],
  suspensions: Suspensions,
): ModelServices {
  const models = new Models(core, audit, fixed);
  return {
    models,
    chat: new Chat(core, models, tools, suspensions),
    responses: new Responses(core, models, tools, suspensions),
    embeddings: new Embeddings(core, models, suspensions),
  };
}
