// Language models: model entries, chat completions, the loop that runs tools.
export type { ModelEntry, ModelEntryCreate, ModelEntryPatch, ModelList, RunnableTools } from "./model-schema";
export { type ModelServices, modelServices } from "./compose";
export { type Models, sealedModels } from "./models";
export type { ChatRequest } from "./schema";
export type { ChatAnswer, ChatCall } from "./service";
export { errorBody } from "./stream/events";
// For conversations whose calls the caller runs, such as those of the terminal.
export { inputOf, withIds } from "./loop/call";
export { assistantMessage } from "./loop/turn";
export { messageOf, notRun } from "./loop/result";
export { readTurn } from "./read-turn";
