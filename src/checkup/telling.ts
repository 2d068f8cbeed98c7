// Places to which a server sends what it does: the file of signed heads, and the collector of traces.
import { constants, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Config } from "../config";
import type { Core } from "../core";
import type { Egress } from "../egress";
import { type Finding, ok, problem, warning } from "./finding";
import { may } from "./modes";
import { checkEndpoint } from "./network";

const HEADS = "audit.heads_file";
const COLLECTOR = "trace collector";

/** Whether signed heads of the audit trail can be appended to their file. */
export function headsFileFinding(config: Config): Finding[] {
  const file = config.auditHeadsFile();
  if (file === undefined) return [];
  const isFile = !existsSync(file) || statSync(file).isFile();
  const isWritable = existsSync(file)
    ? may(file, constants.W_OK)
    : may(dirname(file), constants.W_OK | constants.X_OK);
  if (isFile && isWritable) return [ok(HEADS, `${file} can be written.`)];
  const fix = `Make it a file that the user of the server can write, or set ${HEADS} to another.`;
  return [problem(HEADS, `${file} cannot be written, so no signed heads are kept there.`, fix)];
}

/** Whether the collector answers. Without it the server works, and traces are lost. `egress`: one that may call it. */
export async function collectorFindings(
  core: Core,
  endpoint: string | undefined,
  egress: Egress,
): Promise<Finding[]> {
  if (endpoint === undefined) return [];
  const found = await checkEndpoint({ ...core, egress }, COLLECTOR, endpoint, {
    project: core.settings.project,
  });
  return found.map((finding) =>
    finding.check !== COLLECTOR || finding.status !== "problem"
      ? finding
      : warning(
          COLLECTOR,
          `${finding.message} Traces are lost until it answers.`,
          `${finding.fix ?? ""} The address is telemetry.otlp.endpoint.`,
        ),
  );
}
