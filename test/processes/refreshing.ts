// A process on the data folder and platforms of a test. For each line of its input it calls the platform for alice and prints
// whether that succeeded. It stops itself (SIGSTOP) when it has new tokens and is about to store them.
import { createRuntime } from "../../src/runtime";
import { openSqlite } from "../../src/store";
import { loadConfig } from "../support/config";
import { known, testCatalog } from "../tools/catalog";
import { call } from "../connections/executing";

const environment = JSON.parse(process.argv[2] ?? "{}");
let stopped = false;
const runtime = await createRuntime(
  loadConfig({ environment }),
  { catalogs: [testCatalog().catalog], presets: [known] },
  {
    openStore: (options) => {
      const store = openSqlite(options);
      const write = store.write.bind(store);
      store.write = (body, writeOptions) => {
        if (writeOptions?.reserved === true && !stopped) {
          stopped = true;
          process.kill(process.pid, "SIGSTOP");
        }
        return write(body, writeOptions);
      };
      return store;
    },
  },
);
console.log(`ready ${process.pid}`);
for await (const _line of console) {
  const answer = await call(runtime, "alice").then(
    ({ success }) => String(success),
    () => "refused",
  );
  console.log(answer);
}
