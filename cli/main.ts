// Entry point of the executable. The version is answered before anything else is loaded; it is what scripts and
// installers ask most often.
import { version } from "../package.json";
import { writeAll } from "./writer";

const argv = process.argv.slice(2);
if (argv.length === 1 && ["--version", "-V", "version"].includes(argv[0] ?? "")) {
  writeAll(1, `${version}\n`);
} else {
  // The build makes an entry of its own of the program. A name that the bundler could read would pull all of it in
  // here, and everybody who asks for the version would wait for it.
  const program = `./program${argv.length < 0 ? "" : ".js"}`;
  void import(program).then(async ({ main }: typeof import("./program")) => process.exit(await main(argv)));
}
