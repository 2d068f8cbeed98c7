// A JSON file of another program: adds or replaces records by their names. Comments, trailing commas and the
// order of everything else stay; the record before a new one may be spread over several lines.
import { applyEdits, type FormattingOptions, modify, parse, type ParseError } from "jsonc-parser";
import { isObject, type JsonObject } from "../src/base";
import { withoutProperty } from "./json-removal";
import { NotChanged } from "./user-text";

type Plain = { readonly [key: string]: unknown };

/** The text with a record merged in, two levels deep. Throws `NotChanged` for a text that cannot be merged. */
export function mergedJson(text: string, config: JsonObject): string {
  if (text.trim() === "") return `${JSON.stringify(config, null, 2)}\n`;
  const before = parsed(text);
  const changed = changesOf(before, config).reduce(
    (current, { path, value, appended }) =>
      applyEdits(
        current,
        modify(current, path, value, { formattingOptions: formatOf(text), isArrayInsertion: appended }),
      ),
    text,
  );
  // Names that occur twice, for example, would be changed in one place and read from the other.
  if (Bun.deepEquals(parsed(changed), merged(before, config))) return changed;
  throw new NotChanged("has a form that cannot be changed safely");
}

/** A value at a path; undefined removes what is there. */
export interface PlacedValue {
  path: readonly string[];
  value: unknown;
  /** The value is added to the list at the path. */
  appended?: true;
}

/** The text with values set and removed, one after the other. Throws `NotChanged` for a text that cannot be changed safely. */
export function withJsonEdits(text: string, edits: readonly PlacedValue[]): string {
  const before = parsed(text);
  const formattingOptions = formatOf(text);
  let [changed, wanted] = [text, before];
  for (const { path, value, appended } of edits) {
    const list = valueAt(wanted, path);
    const isAdded = appended === true && Array.isArray(list);
    const place = isAdded ? [...path, list.length] : [...path];
    const placed = appended === true && !isAdded ? [value] : value;
    changed =
      value === undefined
        ? withoutProperty(changed, path)
        : applyEdits(
            changed,
            modify(changed, place, placed, { formattingOptions, isArrayInsertion: isAdded }),
          );
    wanted = withValue(wanted, path, isAdded ? [...(list as unknown[]), value] : placed);
  }
  if (Bun.deepEquals(parsed(changed), wanted)) return changed;
  throw new NotChanged("has a form that cannot be changed safely");
}

function valueAt(record: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), record);
}

function withValue(record: Plain, [key = "", ...rest]: readonly string[], value: unknown): Plain {
  const inner = record[key];
  const next = rest.length === 0 ? value : withValue(isObject(inner) ? inner : {}, rest, value);
  const { [key]: _, ...others } = record;
  return next === undefined ? others : { ...record, [key]: next };
}

function parsed(text: string): Plain {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined)
    throw new NotChanged(`is not valid JSON (line ${text.slice(0, first.offset).split("\n").length})`);
  if (isObject(value)) return value;
  throw new NotChanged("does not contain one JSON object");
}

interface Edit {
  path: (string | number)[];
  value: unknown;
  appended: boolean;
}

function changesOf(before: Plain, config: JsonObject): Edit[] {
  return Object.entries(config).flatMap(([key, value]): Edit[] => {
    const present = before[key];
    if (Array.isArray(value) && Array.isArray(present)) {
      // Appended ones follow those that are there, one after the other.
      let end = present.length;
      return value.map((item): Edit => {
        const at = present.findIndex((each) => idOf(each) === idOf(item));
        return { path: [key, at < 0 ? end++ : at], value: item, appended: at < 0 };
      });
    }
    const isEmpty = present === undefined || present === null;
    // Something of the owner's, or of a version of the client that we do not know.
    if (!isEmpty && isObject(present) !== isObject(value)) throw new NotChanged(`has another form of ${key}`);
    if (!isObject(present) || !isObject(value)) return [{ path: [key], value, appended: false }];
    return Object.entries(value).map(([name, item]) => ({ path: [key, name], value: item, appended: false }));
  });
}

function merged(before: Plain, config: JsonObject): Plain {
  const after: { [key: string]: unknown } = { ...before };
  for (const [key, value] of Object.entries(config)) {
    const present = before[key];
    if (Array.isArray(value) && Array.isArray(present)) {
      const replaced = present.map((item) => value.find((each) => idOf(each) === idOf(item)) ?? item);
      const ids = present.map(idOf);
      after[key] = [...replaced, ...value.filter((item) => !ids.includes(idOf(item)))];
    } else after[key] = isObject(present) && isObject(value) ? { ...present, ...value } : value;
  }
  return after;
}

function idOf(item: unknown): unknown {
  return isObject(item) ? item["id"] : item;
}

function formatOf(text: string): FormattingOptions {
  const [, indent = "  "] = /^([ \t]+)\S/m.exec(text) ?? [];
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  return {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.startsWith("\t") ? 1 : indent.length,
    eol,
  };
}
