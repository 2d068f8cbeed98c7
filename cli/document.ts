// A document for `runtime apply`: read, checked as a whole, and with the values from variables and files filled in.
import { fieldErrors, isObject, sentence, withoutNulls } from "../src/base";
import { type FieldError, malformedRequest, RuntimeError } from "../src/errors";
import { ManifestRequest } from "../src/manifest/schema";
import { contradictions, unknownNames } from "../src/manifest/rules";
import { DocumentError } from "./errors";
import { readText } from "./input";
import type { Io } from "./io";
import { type Source, Sources } from "./value-sources";
import { parseYaml, type ParsedDocument, type Problem } from "./yaml-document";

export interface ApplyDocument {
  /** The files and variables that it names. */
  sources: readonly Source[];
  /** The document with the values from its sources, which are read now. Throws `usage` for a file that cannot be read. */
  filled(): { [key: string]: unknown };
  /** Where a field is, for people: `project.yaml, line 3`. */
  placeOf(field: string): string;
  /** Runs `work`. Errors about fields of the document get their places in it. */
  locating<T>(work: () => Promise<T>): Promise<T>;
}

const SECTIONS = Object.keys(ManifestRequest.properties).join(", ");

/** More would not help anybody to mend a document. */
const MAX_PROBLEMS = 20;

/** Throws `usage` for a file that cannot be read, `malformed_request` with all problems of the document. Reads no values. */
export async function readDocument(io: Io, file: string): Promise<ApplyDocument> {
  const name = file === "-" ? "standard input" : file;
  const parsed = parseYaml(await readText(io, file, "--file"));
  refuse(name, parsed.problems);
  const { value } = parsed;
  if (!isObject(value)) throw notADocument(name);
  const sources = new Sources(io, file, value);
  refuse(name, [...sources.errors(), ...errorsOf(sources)].map(parsed.located));
  return {
    sources: sources.found,
    filled: () => sources.filled(),
    placeOf: (field) => `${name}, line ${parsed.located({ field, rule: "", message: "" }).line}`,
    locating: (work) => work().catch((error: unknown) => Promise.reject(locatedError(name, parsed, error))),
  };
}

function notADocument(name: string): Error {
  return malformedRequest(`${name} must contain one document: an object with ${SECTIONS}.`);
}

function errorsOf(sources: Sources): FieldError[] {
  const document = withoutNulls(ManifestRequest, sources.stubbed());
  const isStub = ({ field }: FieldError): boolean => sources.fields.has(field);
  const unknown = unknownNames(sources.stubbed()).map((error) =>
    isStub(error) ? sources.named(error) : error,
  );
  const names = new Set(unknown.map(({ field }) => field));
  // The schema refuses unknown names of some records as well, without the nearest one.
  const types = fieldErrors(ManifestRequest, document).filter(
    ({ field, rule }) => rule !== "additionalProperties" && !names.has(field),
  );
  return [...unknown, ...types, ...contradictions(document)].filter((error) => !isStub(error));
}

function refuse(name: string, problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  const inOrder = problems.toSorted((left, right) => left.line - right.line || left.column - right.column);
  throw new DocumentError(name, inOrder.slice(0, MAX_PROBLEMS));
}

function locatedError(name: string, parsed: ParsedDocument, error: unknown): unknown {
  if (!(error instanceof RuntimeError) || error.fieldErrors === undefined) return error;
  const places = error.fieldErrors.map(parsed.located).map(({ line }) => `line ${line}`);
  const at = places.length === 0 ? "" : ` See ${name}, ${[...new Set(places)].join(", ")}.`;
  return new RuntimeError(error.name, error.status, `${sentence(error.message)}${at}`, {
    fieldErrors: error.fieldErrors,
    cause: error,
  });
}
