// JSON Schemas from outside: made safe to compile, to check with and to show.
export { type CheckedSchema, checkForeignSchema } from "./check-foreign";
export { cleanDescription } from "./description";
export { withDoubles, withLongIntegers } from "./digits";
export { fitsForeign, foreignErrors, TOO_COMPLEX, withSchemasOf } from "./foreign-check";
export { schemasInPlace } from "./places";
export { referred } from "./pointer";
export { typesIn } from "./types";
