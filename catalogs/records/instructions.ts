// What a caller does with a request schema.
import { type Operation, pathParameters, privateLinkParameter } from "./operation";

/** In words: build the object, call again, with which parameters. */
export function instructionsFor(operation: Operation): string {
  const key = privateLinkParameter(operation);
  const needed = [...(key === undefined ? [] : [key]), ...pathParameters(operation)];
  const flag = operation.query?.process_until_limit;
  return (
    "Build an object that fits `request_body_schema`. Then call this tool again with `mode` set to `execute`, the " +
    `object as JSON text (a string, encoded once) in \`request_body\`, and ${listed(needed)}.` +
    (flag === undefined ? "" : ` \`${flag}\` may be given too.`)
  );
}

function listed(names: readonly string[]): string {
  const quoted = names.map((name) => `\`${name}\``);
  return quoted.length < 2 ? quoted.join("") : `${quoted.slice(0, -1).join(", ")} and ${quoted.at(-1)}`;
}
