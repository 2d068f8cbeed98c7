// The API description, made from the operation table and served by the swagger plugin.
export { documentOf } from "./document";
export { descriptionPlugin } from "./plugin";
