// Entry point of the executable. The version is answered before anything else is loaded; it is what scripts and
// installers ask most often.
import { version } from "../package.json";
import { writeAll } from "./writer";

/** Words after which a server may run in this process; all other commands are spared from loading it. */
const SERVING = ["serve", "exec", "mcp"];

const argv = process.argv.slice(2);
if (argv.length === 1 && ["--version", "-V", "version"].includes(argv[0] ?? "")) {
  writeAll(1, `${version}\n`);
} else {
  // The build makes an entry of its own of each program. A name that the bundler could read would pull all of it in
  // here, and everybody who asks for the version would wait for it.
  const name = argv.some((word) => SERVING.includes(word)) ? "serving" : "program";
  void import(`./${name}.js`).then(async ({ main }: typeof import("./serving")) =>
    process.exit(await main(argv)),
  );
}
