// `runtime tools list` as it is typed most. What it prints are the tools that this executable has, which its build knows;
// the data folder has no say in it. So neither the services nor their schemas are loaded, and nothing is opened. Where a
// server, a project or a mistake is configured, the program itself answers.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isObject } from "../src/base/json";
import { defaultConfigFile } from "../src/config/paths";
import { builtInTools, knownKeys } from "./built-in" with { type: "macro" };
import { type Environment, systemIo } from "./io";
import { printList } from "./output";
import { report } from "./report";
import { descriptionColumn, plainName } from "./tools-table";

const TOOLS = builtInTools();
const { keys: KEYS, variables: VARIABLES } = knownKeys();
/** What says that the listing is somebody else's, or of a project that may not be there. */
const ELSEWHERE = ["server", "project"];

/** Prints it and answers the exit code; undefined when the program has to answer. */
export async function main(): Promise<number | undefined> {
  if (!isOurs(process.env)) return undefined;
  const io = await systemIo();
  try {
    const columns = [{ title: "name", value: plainName }, descriptionColumn];
    printList(
      io,
      { output: "table", fields: undefined, headers: true },
      TOOLS,
      { columns, name: plainName },
      "",
    );
    return 0;
  } catch (error) {
    return report(io, "table", error);
  }
}

/** Whether nothing but this executable decides about the listing. */
function isOurs(environment: Environment): boolean {
  const set = Object.keys(environment).filter((name) => name.startsWith("RUNTIME_"));
  const named = ELSEWHERE.map((key) => `RUNTIME_${key.toUpperCase()}`);
  if (set.some((name) => !VARIABLES.includes(name) || named.includes(name))) return false;
  const file = defaultConfigFile(environment);
  if (file === undefined) return true;
  return !existsSync(join(dirname(file), "logins.json")) && (!existsSync(file) || holdsPlainKeys(file));
}

function holdsPlainKeys(file: string): boolean {
  try {
    const parsed: unknown = Bun.YAML.parse(readFileSync(file, "utf8")) ?? {};
    return isObject(parsed) && namesOf(parsed).every((key) => KEYS.includes(key) && !ELSEWHERE.includes(key));
  } catch {
    return false;
  }
}

function namesOf(object: { [key: string]: unknown }, prefix = ""): string[] {
  return Object.entries(object).flatMap(([key, value]) => {
    const name = prefix + key;
    return isObject(value) && !KEYS.includes(name) ? namesOf(value, `${name}.`) : [name];
  });
}
