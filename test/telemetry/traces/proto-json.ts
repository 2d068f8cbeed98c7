// Checks JSON against a message type: the JSON mapping of Protocol Buffers with the exceptions of OTLP (ids in hexadecimal,
// enumerations as numbers only, no unknown fields from a client of ours).
import protobuf from "protobufjs";

const LENGTHS: Readonly<Record<string, number>> = { traceId: 32, spanId: 16, parentSpanId: 16 };

/** Throws with the path of the first mistake. */
export function checkJson(type: protobuf.Type, value: unknown, path: string): void {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error(`${path}: no object`);
  for (const [name, inner] of Object.entries(value)) {
    const field = type.fields[name];
    if (field === undefined) throw new Error(`${path}.${name}: unknown field`);
    if (!field.repeated) checkValue(field, inner, `${path}.${name}`);
    else if (Array.isArray(inner))
      inner.forEach((item, at) => checkValue(field, item, `${path}.${name}[${at}]`));
    else throw new Error(`${path}.${name}: no list`);
  }
}

function checkValue(field: protobuf.Field, value: unknown, path: string): void {
  const { resolvedType, type, name } = field;
  if (resolvedType instanceof protobuf.Type) return checkJson(resolvedType, value, path);
  const isValid =
    resolvedType instanceof protobuf.Enum
      ? Number.isInteger(value) && Object.values(resolvedType.values).includes(Number(value))
      : isScalar(type, name, value);
  if (!isValid) throw new Error(`${path}: not a ${type}`);
}

function isScalar(type: string, name: string, value: unknown): boolean {
  const length = LENGTHS[name];
  switch (type) {
    case "bytes":
      return typeof value === "string" && value.length === length && /^[\da-f]*$/.test(value);
    case "string":
      return typeof value === "string" && value.isWellFormed();
    case "fixed64":
    case "int64":
      return typeof value === "string" && /^-?\d+$/.test(value);
    case "uint32":
    case "fixed32":
      return Number.isInteger(value) && Number(value) >= 0 && Number(value) < 2 ** 32;
    case "double":
      return typeof value === "number" && Number.isFinite(value);
    case "bool":
      return typeof value === "boolean";
    default:
      return false;
  }
}
