// Tool definitions from outside, made safe and usable.
export { cleanDescription } from "./description";
export { definitionOf } from "./definition";
export { toolkitNameOf, toolNameOf, uniqueNames } from "./names";
export { type CheckedSchema, checkForeignSchema } from "./schema";
