// The lines of mistakes in the configuration file. The parser that knows lines is loaded only for a file with a mistake,
// because it takes longer than most commands.
import { existsSync, readFileSync } from "node:fs";
import { ConfigFileError } from "../src/config";
import type { Problem } from "./yaml-document";

/** The same error with the line of the mistake, if that is known. */
export async function locatedConfigError(error: ConfigFileError): Promise<ConfigFileError> {
  const { file, text, key, cause } = error;
  if (error.line !== undefined) return error;
  const { parseYaml } = await import("./yaml-document");
  const { problems, located } = parseYaml(readFileSync(file, "utf8"));
  const [problem] = problems;
  if (problem !== undefined) return notYaml(file, problem, cause);
  if (key === undefined) return error;
  const { line } = located({ field: key, rule: "unknown", message: "" });
  return new ConfigFileError(file, text, key, { cause, line });
}

/** Throws `configuration` if a key is given twice, of which the other parser silently takes the last. */
export async function refuseRepeatedKeys(file: string | undefined): Promise<void> {
  if (file === undefined || !existsSync(file)) return;
  const text = readFileSync(file, "utf8");
  const lines = text.split("\n").filter((line) => line.includes(":"));
  const names = lines.map((line) => line.slice(0, line.indexOf(":")));
  // Most files have no two equal ones. They may also be in different records.
  if (new Set(names).size === names.length) return;
  const { parseYaml } = await import("./yaml-document");
  const [problem] = parseYaml(text).problems;
  if (problem !== undefined) throw notYaml(file, problem);
}

function notYaml(file: string, { line, message }: Problem, cause?: unknown): ConfigFileError {
  const text = message.replace("not valid YAML or JSON", "not valid YAML").replace(/\.$/, "");
  return new ConfigFileError(file, `${text}.`, undefined, { cause, line });
}
