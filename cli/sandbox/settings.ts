// The configuration of the sandbox: written at its first start, and adjusted at later ones if the folder or the port differs.
import { existsSync, writeFileSync } from "node:fs";
import type { Sandbox } from "../../catalogs/sandbox";
import type { Environment } from "../../src/config";
import { storeSetting } from "../user-file";
import type { SandboxFolder } from "./folder";
import { HOST } from "./ports";

/** The user that commands act for. */
export const USER = "alice";

/** Settings that a person has changed stay. */
export async function writeSettings(
  folder: SandboxFolder,
  { settings }: Sandbox,
  port: number,
): Promise<void> {
  const { configFile, dataFolder } = folder;
  if (existsSync(configFile)) {
    await storeSetting(configFile, "port", port);
    await storeSetting(configFile, "data_dir", dataFolder);
    return;
  }
  const all = {
    host: HOST,
    port,
    data_dir: dataFolder,
    user: USER,
    // Commands with this configuration do not go to a server that the person is logged in to.
    server: "local",
    ...settings,
    egress: { allow: ["loopback"] },
    log: { level: "warn" },
  };
  const text = `# Made by "runtime sandbox", for this machine only.\n${Bun.YAML.stringify(all, null, 2)}\n`;
  writeFileSync(configFile, text, { mode: 0o600 });
}

/** Variables of an installation, which would lead commands elsewhere. */
export function foreignVariables(environment: Environment): string[] {
  return Object.keys(environment).filter((name) => name.startsWith("RUNTIME_"));
}

/** The environment without settings of an installation. */
export function ownEnvironment(environment: Environment): Environment {
  const foreign = new Set(foreignVariables(environment));
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !foreign.has(name)));
}
