// The orders of a file list.
import { invalidParameter } from "../platform-error";
import type { File } from "./library";

type Compare = (left: File, right: File) => number;

const plain = new Intl.Collator("en", { sensitivity: "base" });
const natural = new Intl.Collator("en", { sensitivity: "base", numeric: true });

const byNumber =
  (value: (file: File) => number): Compare =>
  (left, right) =>
    value(left) - value(right);

const KEYS: Readonly<Record<string, Compare>> = {
  createdTime: byNumber((file) => file.createdAt),
  modifiedTime: byNumber((file) => file.modifiedAt),
  modifiedByMeTime: byNumber((file) => file.modifiedAt),
  viewedByMeTime: byNumber((file) => file.modifiedAt),
  sharedWithMeTime: byNumber((file) => file.createdAt),
  recency: byNumber((file) => Math.max(file.createdAt, file.modifiedAt)),
  quotaBytesUsed: byNumber((file) => file.workbook.sheets.length),
  starred: byNumber((file) => Number(file.starred)),
  folder: () => 0,
  name: (left, right) => plain.compare(left.workbook.title, right.workbook.title),
  name_natural: (left, right) => natural.compare(left.workbook.title, right.workbook.title),
};

/** Several keys, the most important first, optionally with `desc`. Throws 400 for an unknown key. */
export function orderOf(text: string): Compare {
  const compares = text.split(",").map((key) => {
    const [name = "", direction, ...rest] = key.trim().split(" ");
    const compare = KEYS[name];
    if (compare === undefined || rest.length > 0 || (direction !== undefined && direction !== "desc")) {
      throw invalidParameter("orderBy", `Invalid sort key: ${name}`);
    }
    return direction === "desc" ? (left: File, right: File) => compare(right, left) : compare;
  });
  return (left, right) => compares.reduce((result, compare) => result || compare(left, right), 0);
}
