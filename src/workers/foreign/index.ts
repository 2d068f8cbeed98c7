// Tool definitions from outside, made safe and usable.
export { type CheckedSchema, checkForeignSchema, cleanDescription } from "../../schemas";
export { definitionOf } from "./definition";
export { toolkitNameOf, toolNameOf, uniqueNames } from "./names";
