// Empty programs compiled by Bun: the minimal cost of an executable of Bun.
import { join } from "node:path";
import type { Context } from "./bench";

/** Compiles `baselines/NAME.ts` like `build.ts` compiles the product; returns the path of the executable. */
export async function compiled({ folder }: Context, name: "empty" | "empty-server"): Promise<string> {
  const outfile = join(folder, name);
  const result = await Bun.build({
    entrypoints: [join(import.meta.dir, "baselines", `${name}.ts`)],
    target: "bun",
    format: "esm",
    minify: true,
    bytecode: true,
    compile: { outfile, autoloadDotenv: false, autoloadBunfig: false },
  });
  if (!result.success) throw new AggregateError(result.logs, `${name} was not built`);
  return outfile;
}
