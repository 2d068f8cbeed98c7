// The program with the server in it, for commands that run one.
import { systemIo } from "./io";
import * as program from "./program";

export async function main(argv: readonly string[]): Promise<number> {
  return program.main(argv, await systemIo(() => import("./serve")));
}
