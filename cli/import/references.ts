// References in a client's file: to variables, to answers of the person, to folders. They are replaced by their values when the
// server is imported: the worker has no environment of the client.
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, resolve } from "node:path";
import type { Io } from "../io";
import type { ClientFile } from "./client-file";
import { namesSecretOrAuth } from "./secret-names";

/** A part of a text. `secret`: what it is called, if it must be sealed. */
export interface Part {
  text: string;
  secret?: string;
}

/** Why a server cannot be imported: a sentence. */
export class NotImported extends Error {}

/** `${NAME}`, `${NAME:-default}`, `${env:NAME}`, `${input:id}`, `${workspaceFolder}`; of some clients `$NAME` or `{env:NAME}`. */
const BRACED = /\$\{([^{}]+)\}/g;
const OF_CLIENT: { readonly [client: string]: RegExp } = {
  gemini: /\$\{([^{}]+)\}|\$([A-Za-z_]\w*)/g,
  opencode: /\{((?:env|file):[^{}]+)\}/g,
};

export interface Scope {
  io: Io;
  file: ClientFile;
  /** Answers that the person has given, by id of the input or name of the variable. */
  answers: Map<string, string>;
}

/** Throws `NotImported` for a reference without a value. `own`: the variables of the server itself. */
export async function resolved(
  scope: Scope,
  text: string,
  own: Readonly<Record<string, string>> = {},
): Promise<Part[]> {
  const pattern = OF_CLIENT[scope.file.client] ?? BRACED;
  const parts: Part[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    const [whole, braced, plain] = match;
    if (match.index > end) parts.push({ text: text.slice(end, match.index) });
    parts.push(await valueOf(scope, braced ?? plain ?? "", own, whole));
    end = match.index + whole.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}

async function valueOf(
  scope: Scope,
  reference: string,
  own: Readonly<Record<string, string>>,
  whole: string,
): Promise<Part> {
  const { workspace } = scope.file;
  if (reference === "workspaceFolder") return { text: workspace };
  if (reference === "workspaceFolderBasename") return { text: basename(workspace) };
  if (reference === "userHome") return { text: scope.io.env["HOME"] ?? homedir() };
  if (reference === "/" || reference === "pathSeparator") return { text: "/" };
  const kind = /^(env|input|file):/.exec(reference)?.[1] ?? "env";
  const [name, fallback] = withDefault(reference.replace(/^(?:env|input|file):/, ""));
  if (kind === "file") return { text: fileText(workspace, name), secret: "FILE" };
  if (kind === "input") return inputValue(scope, name);
  // Otherwise it belongs to the program, such as a shell.
  if (!/^[A-Za-z_]\w*$/.test(name)) return { text: whole };
  const found = own[name] ?? scope.io.env[name] ?? fallback ?? scope.answers.get(name);
  const secret = namesSecretOrAuth(name) ? { secret: name } : {};
  if (found !== undefined) return { text: found, ...secret };
  const answer = await asked(scope, name, `Value of the variable ${name}`, true, refusedVariable(name));
  return { text: answer, secret: name };
}

/** `NAME` or `NAME:-default`. */
function withDefault(text: string): [name: string, fallback?: string] {
  const at = text.indexOf(":-", 1);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 2)];
}

const refusedVariable = (name: string): string =>
  `It refers to the variable ${name}, which is not set. Set it for this command.`;

async function inputValue(scope: Scope, id: string): Promise<Part> {
  const input = scope.file.inputs.get(id) ?? {};
  const variable = id.toUpperCase().replaceAll(/\W/g, "_");
  const isSecret = input["password"] === true || namesSecretOrAuth(id);
  const { description, default: suggested } = input;
  const given = scope.io.env[variable] ?? (isSecret ? undefined : suggested);
  const refusal = `It asks its user for ${id}. Set the variable ${variable} for this command, or run it at a terminal.`;
  const what = typeof description === "string" ? `${description} (${id})` : id;
  const text = typeof given === "string" ? given : await asked(scope, `input:${id}`, what, isSecret, refusal);
  return { text, ...(isSecret ? { secret: variable } : {}) };
}

async function asked(
  { io, answers }: Scope,
  key: string,
  question: string,
  isSecret: boolean,
  refusal: string,
): Promise<string> {
  const known = answers.get(key);
  if (known !== undefined) return known;
  if (!io.interactive) throw new NotImported(refusal);
  const answer = await (isSecret ? io.prompts.secret(question) : io.prompts.ask(question));
  answers.set(key, answer);
  return answer;
}

function fileText(workspace: string, name: string): string {
  try {
    return readFileSync(resolve(workspace, name.replace(/^~(?=\/)/, homedir())), "utf8").trim();
  } catch {
    throw new NotImported(`It refers to the file ${name}, which cannot be read.`);
  }
}
