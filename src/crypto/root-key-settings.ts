// The settings of a root key that is kept outside.
import type { Config } from "../config";
import { configurationError } from "../errors";
import { commandSource, credentialSource, type RootKeySource, type RootKeySources } from "./root-key-source";

type Kind = "command" | "credential";

/**
 * The command or credential that the root key comes from; undefined if it comes from the environment or a file. Throws
 * `configuration` if more than one setting says where it is.
 */
export function rootKeySources(config: Config): RootKeySources | undefined {
  const { settings } = config;
  const kinds = (["command", "credential"] as const).filter(
    (kind) => settings[`root_key.${kind}`] !== undefined,
  );
  const [kind] = kinds;
  if (kind === undefined) return undefined;
  const set = [
    ...(config.rootKey === undefined ? [] : ["root_key"]),
    ...(settings.root_key_file === undefined ? [] : ["root_key_file"]),
    ...kinds.map((each) => `root_key.${each}`),
  ];
  if (set.length > 1)
    throw configurationError(`${set.join(" and ")} are set. Keep the one that says where the root key is.`);
  const current = sourceOf(config, `root_key.${kind}`);
  const next = sourceOf(config, "root_key.next_command") ?? sourceOf(config, "root_key.next_credential");
  return current === undefined ? undefined : { current, next, nextName: `root_key.next_${kind}` };
}

function sourceOf(config: Config, name: `root_key.${"" | "next_"}${Kind}`): RootKeySource | undefined {
  const { settings } = config;
  const value = settings[name];
  if (value === undefined) return undefined;
  if (typeof value === "string") return credentialSource(name, value, config.credentialFile(value));
  return commandSource(name, value, settings["root_key.command_timeout"] * 1000);
}
