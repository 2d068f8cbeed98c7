// Lists `name=value,name=value` with percent-encoded values (the format of W3C Baggage without properties).

/** A header name (RFC 9110, section 5.6.2). */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
const HEADER_VALUE = /^[\x20-\x7e]*$/;

/** Headers, from the setting `telemetry.otlp.headers`; undefined if they are not valid. */
export function parseHeaders(text: string): Record<string, string> | undefined {
  const members = parseMembers(text.split(","));
  if (members === undefined) return undefined;
  const isValid = Object.entries(members).every(
    ([name, value]) => TOKEN.test(name) && HEADER_VALUE.test(value),
  );
  return isValid ? members : undefined;
}

/** Undefined if one of them is not valid. */
export function parseMembers(items: readonly string[]): Record<string, string> | undefined {
  const members: Record<string, string> = {};
  for (const item of items) {
    if (item.trim() === "") continue;
    const at = item.indexOf("=");
    if (at < 1) return undefined;
    const value = decoded(item.slice(at + 1).trim());
    if (value === undefined) return undefined;
    members[item.slice(0, at).trim()] = value;
  }
  return members;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
