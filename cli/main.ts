// Entry point of the executable. The version is answered before anything else is loaded; it is what scripts and
// installers ask most often.
import { version } from "../package.json";
import { writeAll } from "./writer";

const argv = process.argv.slice(2);
if (argv.length === 1 && ["--version", "-V", "version"].includes(argv[0] ?? "")) {
  writeAll(1, `${version}\n`);
} else {
  const { main } = await import("./program");
  process.exit(await main(argv));
}
