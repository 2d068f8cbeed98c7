// A TOML file of another program: adds, replaces or removes tables. Everything else stays as it is, byte by byte.
import { isObject, type JsonObject } from "../src/base";
import { NotChanged } from "./user-text";

/** The text with the table `[parent.name]`, whose lines are `body`. Throws `NotChanged` if that cannot be done safely. */
export function withTable(text: string, parent: string, name: string, body: readonly string[]): string {
  const before = parsed(text);
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const table = [`[${parent}.${JSON.stringify(name)}]`, ...body];
  const lines = text.split(/\r?\n/);
  const own = blocksOf(lines).filter(({ path }) => path[0] === parent && path[1] === name);
  const changed = own.length === 0 ? appended(lines, table) : replaced(lines, own, table);
  const result = changed.join(eol);
  const { [parent]: tables, ...others } = before;
  const wanted = {
    ...others,
    [parent]: { ...(isObject(tables) ? tables : {}), [name]: parsed(body.join("\n")) },
  };
  // A line that looks like a header may be part of a text, and a table may be written in another form. Both show here.
  if (Bun.deepEquals(parsedOr(result), wanted)) return result;
  throw new NotChanged(`has another form of ${parent} that cannot be changed safely`);
}

/** The text without the tables `[parent.name]` and those below them. Throws `NotChanged` if that cannot be done safely. */
export function withoutTables(text: string, parent: string, names: readonly string[]): string {
  const before = parsed(text);
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const lines = text.split(/\r?\n/);
  const gone = blocksOf(lines).filter(({ path }) => path[0] === parent && names.includes(path[1] ?? ""));
  const isBlank = (at: number): boolean => lines[at]?.trim() === "";
  const kept = lines.filter((_line, at) => {
    // Blank lines after a table go with it.
    let last = at;
    while (last > 0 && isBlank(last)) last--;
    return !gone.some(({ start, end }) => last >= start && last < end);
  });
  const result = kept.join(eol);
  const { [parent]: tables, ...others } = before;
  const left = Object.entries(isObject(tables) ? tables : {}).filter(([name]) => !names.includes(name));
  const { [parent]: now = {}, ...rest } = parsedOr(result) ?? {};
  if (Bun.deepEquals(rest, others) && Bun.deepEquals(now, Object.fromEntries(left))) return result;
  throw new NotChanged(`has another form of ${parent} that cannot be changed safely`);
}

function parsed(text: string): JsonObject {
  const value = parsedOr(text);
  if (value !== undefined) return value;
  throw new NotChanged("is not TOML that can be read");
}

function parsedOr(text: string): JsonObject | undefined {
  try {
    // Checked border: TOML is always a table.
    return Bun.TOML.parse(text) as JsonObject;
  } catch {
    return undefined;
  }
}

/** The lines of a table: from its header to the line before `end`. */
interface Block {
  path: readonly string[];
  start: number;
  end: number;
}

function blocksOf(lines: readonly string[]): Block[] {
  const heads = lines.flatMap((line, start) => (/^\s*\[/.test(line) ? [{ path: pathOf(line), start }] : []));
  return heads.map(({ path, start }, index) => {
    let end = heads[index + 1]?.start ?? lines.length;
    // Comments directly above the next table belong to it.
    while (end > start + 1 && /^\s*(#|$)/.test(lines[end - 1] ?? "")) end--;
    return { path, start, end };
  });
}

/** `[mcp_servers."a.b"]` → mcp_servers, a.b */
function pathOf(header: string): string[] {
  const path: string[] = [];
  let inner: unknown = parsedOr(header);
  while (isObject(inner)) {
    const [entry] = Object.entries(inner);
    if (entry === undefined) break;
    path.push(entry[0]);
    inner = entry[1];
  }
  return path;
}

function appended(lines: readonly string[], table: readonly string[]): string[] {
  const kept = lines.slice(0, lines.findLastIndex((line) => line.trim() !== "") + 1);
  return [...kept, ...(kept.length === 0 ? [] : [""]), ...table, ""];
}

function replaced(lines: readonly string[], [first, ...rest]: Block[], table: readonly string[]): string[] {
  if (first === undefined) return [...lines];
  const comments = lines.slice(first.start + 1, first.end).filter((line) => /^\s*#/.test(line));
  const [header = "", ...body] = table;
  return lines.flatMap((line, at) => {
    if (at === first.start) return [header, ...comments, ...body];
    const gone = [first, ...rest].some(({ start, end }) => at >= start && at < end);
    return gone ? [] : [line];
  });
}
