// Prints what time filters and timestamps become in the time zone that this process runs in.
import { ChatClient } from "../../../../catalogs/chat/client";
import { readable } from "../../../../catalogs/chat/messages/message";
import { windowOf } from "../../../../catalogs/chat/messages/time-window";
import { toolContext } from "../../context";

const context = toolContext({ bases: {}, token: "" });
const [message] = await readable(new ChatClient(context), [{ ts: "1772937000.000200" }]);
const times = {
  zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  window: windowOf({ oldest_datetime: "2026-03-08 02:30:00" }, Date.parse("2026-03-08T12:00:00Z")),
  datetime: message?.["datetime_timestamp"],
};
process.stdout.write(JSON.stringify(times));
