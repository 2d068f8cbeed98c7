// The settings that extensions use.
import type { SettingDeclarations } from "./config";
import type { Extensions } from "./tools";

/** Throws for a setting that is not declared: a misspelled name would silently leave an address at its default. */
export function checkSettingNames({ catalogs, presets }: Extensions, declared: SettingDeclarations): void {
  const used = [
    ...catalogs.flatMap(({ bases }) =>
      Object.values(bases).flatMap(({ setting, secret }) => [setting, secret?.setting]),
    ),
    ...presets.map(({ tokenServers }) => tokenServers?.setting),
  ];
  for (const name of used) {
    if (name !== undefined && !Object.hasOwn(declared, name))
      throw new Error(`${name} is not a declared setting`);
  }
}
