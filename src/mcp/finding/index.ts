export { finderOf } from "./finders";
export { Finding, unknownTool } from "./finding";
