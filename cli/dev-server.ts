// `runtime serve --dev`: what it refuses, and the key that it prints.
import { isLoopback } from "../src/base";
import type { Config } from "../src/config";
import { configurationError } from "../src/errors";
import type { ApiKey } from "../src/identity";
import type { Common } from "./command";
import type { Io } from "./io";
import { printRecord } from "./output";

/** Throws `configuration` if other machines reach the server: it prints a key that may do everything. */
export function refuseOtherMachines(config: Config): void {
  const { host, public_url: publicUrl } = config.settings;
  if (!isLoopback(host.includes(":") && !host.startsWith("[") ? `[${host}]` : host))
    throw configurationError(
      `runtime serve --dev listens on this machine only, but host is ${host} (${config.originOf("host")}). ` +
        "Leave it out, or start without --dev.",
    );
  const url = URL.parse(publicUrl ?? "");
  if (url !== null && url.protocol === "http:" && !isLoopback(url.hostname))
    throw configurationError(
      `runtime serve --dev would send the key over the network in the clear: public_url is ${url.origin} ` +
        `(${config.originOf("public_url")}). Use https or leave it out, or start without --dev.`,
    );
}

/** Prints the key on standard output, which is not where the log goes. It is not printed again. */
export function printDevKey(
  io: Io,
  common: Common,
  address: string,
  { id, key, role, project_id }: ApiKey,
): void {
  const record = { address, key, id, role, project_id };
  printRecord(io, common, record, {
    name: () => id,
    columns: [
      { title: "address", value: () => address },
      { title: "key", value: () => key },
      { title: "role", value: () => role },
      { title: "project", value: () => project_id },
    ],
    lines: () => [
      ["address", address],
      ["key", key],
      ["role", `${role}, until this server stops`],
      ["project", project_id],
    ],
  });
}
