// JSON Schemas from outside: made safe to compile, to check with and to show.
export { type CheckedSchema, checkForeignSchema } from "./check-foreign";
export { cleanDescription } from "./description";
export { foreignErrors } from "./foreign-check";
export { exact, withDoubles, withLongIntegers } from "./digits";
export { schemasInPlace } from "./places";
export { referred } from "./pointer";
export { typesOf } from "./types";
