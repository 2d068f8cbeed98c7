// The description of the API. Loaded when it is first asked for.
export { documentOf } from "./document";
export { publishedDocument } from "./published";
