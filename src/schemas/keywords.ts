// The keywords of JSON Schema that a check looks at (draft 4 to 2020-12), by the form of their values. All others are
// annotations.

export type Form =
  | "schema"
  | "schemas"
  | "map"
  | "dependencies"
  | "number"
  | "limit"
  | "step"
  | "count"
  | "boolean"
  | "names"
  | "name lists"
  | "text"
  | "type"
  | "enum"
  | "pattern"
  | "reference"
  | "place"
  | "label"
  | "flag"
  | "list";

const FORMS: Readonly<Record<Form, readonly string[]>> = {
  schema: [
    "not",
    "if",
    "then",
    "else",
    "items",
    "contains",
    "propertyNames",
    "additionalProperties",
    "additionalItems",
    "unevaluatedItems",
    "unevaluatedProperties",
    "contentSchema",
  ],
  schemas: ["allOf", "anyOf", "oneOf", "prefixItems"],
  map: ["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"],
  dependencies: ["dependencies"],
  number: ["minimum", "maximum"],
  limit: ["exclusiveMinimum", "exclusiveMaximum"],
  step: ["multipleOf"],
  count: [
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "minContains",
    "maxContains",
  ],
  boolean: ["uniqueItems"],
  names: ["required"],
  "name lists": ["dependentRequired"],
  text: ["title", "description"],
  type: ["type"],
  enum: ["enum"],
  pattern: ["pattern"],
  reference: ["$ref", "$dynamicRef", "$recursiveRef"],
  // Annotations, whose form some vendors check.
  label: ["$schema", "$comment", "format", "contentEncoding", "contentMediaType"],
  flag: ["deprecated", "readOnly", "writeOnly"],
  list: ["examples"],
  // References are rewritten to pointers, so that names of places have no meaning.
  place: ["$id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$vocabulary", "nullable"],
};

const FORM_OF: ReadonlyMap<string, Form> = new Map(
  // `Object.entries` knows only that keys are strings.
  (Object.keys(FORMS) as Form[]).flatMap((form) =>
    FORMS[form].map((keyword): [string, Form] => [keyword, form]),
  ),
);

/** Undefined for an annotation. */
export function formOf(keyword: string): Form | undefined {
  return FORM_OF.get(keyword);
}

export const TYPES: readonly unknown[] = [
  "object",
  "array",
  "string",
  "number",
  "integer",
  "boolean",
  "null",
];

/** Annotations whose values are data, in which nothing is a schema. */
export const DATA: readonly string[] = ["const", "enum", "default", "example", "examples"];
