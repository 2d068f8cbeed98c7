// Values of a document that come from variables and files: `value_from: {env: NAME}` or `{file: PATH}` instead of `value`.
import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { isObject, nearest, unknownMessage } from "../src/base";
import type { FieldError } from "../src/errors";
import { UsageError } from "./errors";
import { withoutLineEnd } from "./input";
import type { Io } from "./io";

/** A file or variable that a document names. */
export interface Source {
  /** The field that gets the value: `secrets.0.value`. */
  field: string;
  kind: "file" | "variable";
  /** The absolute path, or the name of the variable. */
  name: string;
  /** Whether it exists. Its value is not read for that. */
  exists: boolean;
}

const SUFFIX = "_from";
const KINDS = ["env", "file"];
/** Sections of records whose credentials are optional. */
const OPTIONAL = ["plugins", "providers", "models", "workers"];

type Plain = { readonly [key: string]: unknown };
type Replace = (field: string, key: string, source: Plain, isOptional: boolean) => [string, unknown][];

export class Sources {
  readonly found: Source[] = [];
  readonly #io: Io;
  readonly #folder: string;
  readonly #document: Plain;
  readonly #errors: FieldError[] = [];

  /** `file`: that of the document, from whose folder paths are read; `-` is the working folder. */
  constructor(io: Io, file: string, document: Plain) {
    this.#io = io;
    this.#folder = file === "-" ? process.cwd() : dirname(resolve(file));
    this.#document = document;
    this.#replaced((field, _key, source) => {
      this.#note(field, source);
      return [];
    });
  }

  /** Sources that are not written correctly. */
  errors(): readonly FieldError[] {
    return this.#errors;
  }

  /** The fields that get their value from a source. */
  get fields(): ReadonlySet<string> {
    return new Set(this.found.map(({ field }) => field));
  }

  /** The document with any text in the place of values from sources, to check everything else. */
  stubbed(): Plain {
    return this.#replaced((_field, key) => [[key.slice(0, -SUFFIX.length), "x"]]);
  }

  /**
   * The document with the values. If a variable is not set, the field is dropped; in records whose credentials are optional
   * its source is left in place, so that the server keeps a stored credential or reports a missing one.
   */
  filled(): Plain {
    return this.#replaced((_field, key, source, isOptional) => {
      const text = this.#valueOf(key, source);
      if (text !== undefined) return [[key.slice(0, -SUFFIX.length), text]];
      return isOptional ? [[key, source]] : [];
    });
  }

  /** The error of an unknown field, with the name by which the document gives its value. */
  named({ field, rule, message }: FieldError): FieldError {
    const named = message.endsWith("?") ? `${message.slice(0, -1)}${SUFFIX}?` : message;
    return { field: field + SUFFIX, rule, message: named };
  }

  #note(field: string, source: Plain): void {
    const [[kind = "", name] = [], ...more] = Object.entries(source);
    const wrong = Object.keys(source).find((each) => !KINDS.includes(each));
    if (wrong !== undefined) {
      const meant = nearest(wrong, KINDS);
      const hint = meant === undefined ? "; use {env: VARIABLE} or {file: PATH}" : "";
      const message = unknownMessage(meant) + hint;
      this.#errors.push({ field: `${field}.${wrong}`, rule: "unknown", message });
    } else if (typeof name !== "string" || name === "" || more.length > 0) {
      this.#errors.push({ field, rule: "source", message: "takes {env: VARIABLE} or {file: PATH}" });
    } else {
      const path = resolve(this.#folder, name);
      const base = field.slice(0, -SUFFIX.length);
      this.found.push(
        kind === "env"
          ? { field: base, kind: "variable", name, exists: this.#io.env[name] !== undefined }
          : { field: base, kind: "file", name: path, exists: existsSync(path) },
      );
    }
  }

  #twice(field: string): void {
    if (this.#errors.some((error) => error.field === field)) return;
    const [name = ""] = field.split(".").slice(-1);
    const message = `is given twice: leave out ${name} or ${name}${SUFFIX}`;
    this.#errors.push({ field, rule: "source", message });
  }

  #valueOf(key: string, { env, file }: Plain): string | undefined {
    if (typeof env === "string") return this.#io.env[env];
    const path = resolve(this.#folder, String(file));
    try {
      return withoutLineEnd(readFileSync(path, "utf8"));
    } catch {
      throw new UsageError(`${key}: ${path} cannot be read.`);
    }
  }

  #replaced(replace: Replace): Plain {
    const walk = (value: unknown, path: string, isOptional: boolean): unknown => {
      if (Array.isArray(value))
        return value.map((item: unknown, index) => walk(item, `${path}${index}.`, isOptional));
      if (!isObject(value)) return value;
      const entries = Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
        if (Object.hasOwn(value, key + SUFFIX) && isObject(value[key + SUFFIX])) this.#twice(`${path}${key}`);
        const isSource = key.endsWith(SUFFIX) && key !== SUFFIX && isObject(inner);
        if (isSource) return replace(`${path}${key}`, key, inner, isOptional);
        return [[key, walk(inner, `${path}${key}.`, isOptional || OPTIONAL.includes(key))]];
      });
      return Object.fromEntries(entries);
    };
    const walked = walk(this.#document, "", false);
    return isObject(walked) ? walked : {};
  }
}
