// Members of tools, prompts and resources as MCP servers send them. Clients refuse a whole list because of one member of a wrong
// type, so such a member is left out; everything else, also what is not known here, stays as it is.
import { type TSchema, Type } from "typebox";
import { compileOnce, isObject, type JsonObject } from "../../base";
import { passedMeta } from "./meta";

type Members = Readonly<Record<string, TSchema>>;

const text = Type.String();
const icons = Type.Array(
  Type.Object({
    src: text,
    mimeType: Type.Optional(text),
    sizes: Type.Optional(Type.Array(text)),
    theme: Type.Optional(Type.Union([Type.Literal("light"), Type.Literal("dark")])),
  }),
);
const hint = Type.Optional(Type.Boolean());

const TOOL: Members = {
  title: text,
  icons,
  execution: Type.Object({
    taskSupport: Type.Optional(
      Type.Union([Type.Literal("required"), Type.Literal("optional"), Type.Literal("forbidden")]),
    ),
  }),
};

const TOOL_ANNOTATIONS: Members = {
  title: text,
  readOnlyHint: hint,
  destructiveHint: hint,
  idempotentHint: hint,
  openWorldHint: hint,
};

const PROMPT: Members = {
  title: text,
  description: text,
  icons,
  arguments: Type.Array(
    Type.Object({
      name: text,
      title: Type.Optional(text),
      description: Type.Optional(text),
      required: Type.Optional(Type.Boolean()),
    }),
  ),
};

const RESOURCE: Members = {
  title: text,
  description: text,
  icons,
  mimeType: text,
  size: Type.Number(),
};

const RESOURCE_ANNOTATIONS: Members = {
  audience: Type.Array(Type.Union([Type.Literal("user"), Type.Literal("assistant")])),
  priority: Type.Number({ minimum: 0, maximum: 1 }),
  lastModified: Type.String({
    pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}(\\.\\d+)?)?(Z|[+-]\\d{2}:\\d{2})$",
  }),
};

const KINDS = {
  tool: { members: TOOL, annotations: TOOL_ANNOTATIONS },
  prompt: { members: PROMPT, annotations: {} },
  resource: { members: RESOURCE, annotations: RESOURCE_ANNOTATIONS },
};

/** The members that clients accept, and `_meta` without what is not passed on. */
export function accepted(kind: keyof typeof KINDS, item: JsonObject): JsonObject {
  const { members, annotations: hints } = KINDS[kind];
  const { _meta: meta, annotations, ...rest } = item;
  const passed = passedMeta(meta);
  return {
    ...fitting(members, rest),
    // A member that is not an object cannot be mended.
    ...(isObject(annotations) ? { annotations: fitting(hints, annotations as JsonObject) } : {}),
    ...(passed === undefined ? {} : { _meta: passed }),
  };
}

function fitting(schemas: Members, members: JsonObject): JsonObject {
  const fits = ([name, value]: [string, unknown]): boolean => {
    const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
    return schema === undefined || compileOnce(schema).Check(value);
  };
  return Object.fromEntries(Object.entries(members).filter(fits));
}
