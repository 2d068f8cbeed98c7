// Configuration as the product reads it: with the settings of the catalogs that it ships.
import { catalogSettings } from "../../catalogs/settings";
import { type Config, type ConfigSources, loadConfig as load } from "../../src/config";

export function loadConfig(sources: ConfigSources): Config {
  return load({ declared: catalogSettings, ...sources });
}
