// The API description, made from the operation table and served by the swagger plugin.
export { descriptionPlugin } from "./plugin";
