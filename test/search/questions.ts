// A hundred questions as users would ask them, each with the tools that answer it. They were written before the search existed
// and must not be changed to fit it: half of them were used to tune the ranking, the other half only measures it.

export interface Question {
  ask: string;
  /** The right tool first, then others that serve the request as well. `Toolkit.tool` */
  answers: readonly [string, ...string[]];
}

export const QUESTIONS: readonly Question[] = [
  // Conversations
  question(
    "Tell everyone in #general that the office closes early",
    "Chat.SendMessage Chat.SendMessageToChannel Slack.slack_post_message Teams.send_channel_message Discord.discord_send",
  ),
  question(
    "what did people say in the design channel since Monday?",
    "Chat.GetMessages Chat.GetMessagesInChannelByName Chat.GetMessagesInConversationById Slack.slack_get_channel_history Teams.get_channel_messages Discord.discord_read_messages",
  ),
  question(
    "ping Alice privately about the contract",
    "Chat.SendMessage Chat.SendDmToUser Teams.send_chat_message Lark.im_v1_message_create",
  ),
  question(
    "who is in the incident channel",
    "Chat.GetUsersInConversation Chat.GetMembersInChannelByName Chat.GetMembersInConversationById Lark.im_v1_chatMembers_get",
  ),
  question(
    "look up Bob's email address in our chat",
    "Chat.GetUsersInfo Chat.ListUsers Chat.GetUserInfoById Slack.slack_get_user_profile Slack.slack_get_users Teams.search_users Teams.get_user",
  ),
  question(
    "which channels am I a member of?",
    "Chat.ListConversations Chat.ListConversationsMetadata Chat.ListPublicChannelsMetadata Chat.ListPrivateChannelsMetadata Slack.slack_list_channels",
  ),
  question(
    "read my direct messages with Carol",
    "Chat.GetMessages Chat.GetMessagesInDirectMessageConversationByUsername Chat.GetMessagesInConversationById Teams.get_chat_messages",
  ),
  question("thumbs up on his slack post", "Slack.slack_add_reaction"),
  question("send a LINE text to all followers", "Line.broadcast_text_message Line.broadcast_flex_message"),
  question(
    "what's the forum saying about the upgrade problem",
    "Discourse.discourse_search Discourse.discourse_search_posts Discourse.discourse_filter_topics",
  ),

  // Spreadsheets
  question(
    "put 42 into B7 of my budget sheet",
    "Sheets.WriteToCell Sheets.UpdateCells GoogleDrive.updateGoogleSheet",
  ),
  question(
    "make a new spreadsheet for the travel expenses",
    "Sheets.CreateSpreadsheet GoogleDrive.createGoogleSheet",
  ),
  question(
    "find the spreadsheet called Q3 forecast",
    "Sheets.SearchSpreadsheets GoogleDrive.search GoogleDrive.listGoogleSheets",
  ),
  question(
    "what's in the first tab of this sheet?",
    "Sheets.GetSpreadsheet GoogleDrive.getGoogleSheetContent",
  ),
  question("leave a remark on cell C4", "Sheets.AddNoteToCell"),
  question("let me choose which google files the assistant may open", "Sheets.GenerateGoogleFilePickerUrl"),
  question(
    "how many tabs does the workbook have and what are they called",
    "Sheets.GetSpreadsheetMetadata GoogleDrive.getSpreadsheetInfo GoogleDrive.listSheets",
  ),
  question("fill in a whole block of cells at once", "Sheets.UpdateCells GoogleDrive.updateGoogleSheet"),

  // Applications with records
  question(
    "show me the apps I have in creator",
    "VendorCreatorApi.GetApplicationMetaInfo VendorCreatorApi.FetchWorkspaceAppMeta",
  ),
  question("which fields does the order form have", "VendorCreatorApi.FetchVendorFormFieldsMetadata"),
  question(
    "records of a report where the status is open",
    "VendorCreatorApi.FetchVendorRecords VendorCreatorApi.FetchVendorReportRecords",
  ),
  question(
    "throw away that wrong entry in the creator app",
    "VendorCreatorApi.DeleteVendorRecord VendorCreatorApi.DeleteReportRecords",
  ),
  question(
    "enter several new orders into a creator form",
    "VendorCreatorApi.InsertRecordsInVendorForm VendorCreatorApi.AddRecordsToVendorForm",
  ),
  question("dump a huge report in the background", "VendorCreatorApi.CreateBulkReadJob"),
  question("is my export job finished yet?", "VendorCreatorApi.GetBulkReadJobDetails"),
  question(
    "change a field on all records that match a condition",
    "VendorCreatorApi.UpdateVendorCreatorReportRecords Airtable.update_records Mongodb.update-many Salesforce.salesforce_dml_records",
  ),

  // Code
  question("open a bug report on github about the broken login", "Github.create_issue"),
  question("merge that PR", "Github.merge_pull_request Gitlab.merge_merge_request"),
  question("where in our code is parseDate used?", "Github.search_code DesktopCommander.start_search"),
  question("did the checks pass on pull request 12", "Github.get_pull_request_status"),
  question("make my own copy of this repo", "Github.fork_repository Gitlab.fork_repository Git.git_clone"),
  question("why did the gitlab job fail, show me the output", "Gitlab.get_pipeline_job_output"),
  question("run the failed gitlab pipeline again", "Gitlab.retry_pipeline Gitlab.retry_pipeline_job"),
  question("stop people from pushing directly to main", "Gitlab.protect_branch"),
  question("who touched this line last", "Gitlab.get_file_blame Git.git_blame"),
  question("clear my gitlab to-do list", "Gitlab.mark_all_todos_done Gitlab.mark_todo_done"),
  question("put my uncommitted changes aside for a moment", "Git.git_stash"),
  question("which of our tests are unreliable", "Circleci.find_flaky_tests"),
  question(
    "undo the last release, production is broken",
    "Circleci.run_rollback_pipeline Kubernetes.kubectl_rollout",
  ),
  question("which npm packages do we no longer need", "Knip.knip-run"),

  // Files and memory
  question(
    "rename report.txt to final.txt",
    "Filesystem.move_file DesktopCommander.move_file GoogleDrive.renameItem",
  ),
  question(
    "what is inside this folder",
    "Filesystem.list_directory Filesystem.list_directory_with_sizes Filesystem.directory_tree DesktopCommander.list_directory GoogleDrive.listFolder",
  ),
  question(
    "kill the program that eats all the CPU",
    "DesktopCommander.kill_process DesktopCommander.force_terminate",
  ),
  question("remember that Anna prefers tea", "Memory.add_observations Memory.create_entities"),
  question("put the scanned letter into our document archive", "Paperless.post_document"),
  question(
    "give Maria edit access to the document",
    "GoogleDrive.shareFile GoogleDrive.addPermission GoogleDrive.updatePermission Lark.drive_v1_permissionMember_create",
  ),
  question(
    "turn this PDF into a google doc",
    "GoogleDrive.convertPdfToGoogleDoc GoogleDrive.bulkConvertFolderPdfs",
  ),
  question("write what I should say for slide 3", "GoogleDrive.updateGoogleSlidesSpeakerNotes"),
  question(
    "swap the old company name for the new one everywhere in the doc",
    "GoogleDrive.findAndReplaceInDoc",
  ),

  // Calendars
  question(
    "am I free on Thursday afternoon?",
    "GoogleCalendar.get-freebusy Lark.calendar_v4_freebusy_list GoogleCalendar.list-events GoogleDrive.getCalendarEvents",
  ),
  question(
    "schedule a meeting with Tom next Tuesday at 3",
    "GoogleCalendar.create-event GoogleCalendar.create-events GoogleDrive.createCalendarEvent Lark.calendar_v4_calendarEvent_create",
  ),
  question("decline the invitation to the offsite", "GoogleCalendar.respond-to-event"),
  question(
    "cancel tomorrow's dentist appointment",
    "GoogleCalendar.delete-event GoogleDrive.deleteCalendarEvent",
  ),

  // Tasks
  question("move the card to Done", "Trello.move_card"),
  question("what's on my plate in asana", "Asana.asana_get_my_tasks"),
  question(
    "create a ticket in linear for the crash",
    "Linear.linear_createIssue Linear.linear_createIssueFromTemplate",
  ),
  question(
    "how is the current sprint going",
    "Monday.get_sprint_summary Monday.get_sprints_metadata Linear.linear_getActiveCycle Linear.linear_getCycleStats",
  ),
  question(
    "assign the bug to Priya",
    "Linear.linear_assignIssue Linear.linear_updateIssue Github.update_issue Gitlab.update_issue",
  ),
  question(
    "this task has to wait for another one",
    "Asana.asana_add_task_dependencies Asana.asana_add_task_dependents Linear.linear_createIssueRelation",
  ),
  question("build a survey on monday", "Monday.create_form"),
  question("add a to-do checklist to the trello card", "Trello.create_checklist Trello.add_checklist_item"),
  question("split the work into smaller pieces in asana", "Asana.asana_create_subtask"),
  question("remind me to buy milk", "Omnifocus.add_omnifocus_task Lark.task_v2_task_create"),

  // Pages and content
  question(
    "add a paragraph to my notion page",
    "Notion.API-patch-block-children Notion.API-update-page-markdown",
  ),
  question("start a fresh notion page under Projects", "Notion.API-post-page"),
  question("which tables are in my airtable base", "Airtable.list_tables"),
  question("attach the invoice PDF to an airtable row", "Airtable.upload_attachment"),
  question("make the blog post go live", "Contentful.publish_entry Strapi.publish_entry"),
  question("get the pictures out of a figma design", "Figma.download_figma_images"),
  question("draw me a flowchart", "Drawio.open_drawio_mermaid Drawio.open_drawio_xml"),

  // Browsers and phones
  question(
    "take a picture of the web page",
    "Playwright.browser_take_screenshot ChromeDevtools.take_screenshot",
  ),
  question(
    "go to example.com in the browser",
    "Playwright.browser_navigate ChromeDevtools.navigate_page ChromeDevtools.new_page Mobile.mobile_open_url",
  ),
  question(
    "fill in the signup form",
    "Playwright.browser_fill_form ChromeDevtools.fill_form ChromeDevtools.fill",
  ),
  question(
    "why is this site so slow?",
    "ChromeDevtools.performance_start_trace ChromeDevtools.performance_analyze_insight ChromeDevtools.lighthouse_audit SearchConsole.pagespeed_analyze Playwright.browser_start_tracing",
  ),
  question(
    "are there any javascript errors on the page",
    "Playwright.browser_console_messages ChromeDevtools.list_console_messages ChromeDevtools.get_console_message",
  ),
  question("swipe left on the phone", "Mobile.mobile_swipe_on_screen"),

  // Infrastructure
  question("spin up a new virtual machine", "Digitalocean.droplet-create"),
  question("restart the server, it hangs", "Digitalocean.reboot-droplet Digitalocean.power-cycle-droplet"),
  question(
    "point www.example.com to our IP",
    "Digitalocean.domain-record-create Digitalocean.domain-record-edit",
  ),
  question(
    "how much is the hosting bill this month",
    "Digitalocean.balance-get Digitalocean.billing-history-list Digitalocean.get-invoice Digitalocean.invoice-list",
  ),
  question("block all traffic except ssh", "Digitalocean.firewall-create Digitalocean.firewall-add-rules"),
  question("show me the logs of the crashing pod", "Kubernetes.kubectl_logs"),
  question("run five copies of the web deployment", "Kubernetes.kubectl_scale"),
  question("switch dark mode on for beta users", "Launchdarkly.update-feature-flag"),

  // Data
  question("how many customers are in the mongo collection", "Mongodb.count Mongodb.aggregate"),
  question("run some SQL", "Postgres.query"),
  question("what indices do we have in elastic", "Elasticsearch.list_indices"),
  question(
    "how many visitors did our site have last week",
    "Analytics.getActiveUsers Analytics.getPageViews Analytics.runReport",
  ),
  question("is my page in google's index", "SearchConsole.indexing_status SearchConsole.inspection_inspect"),

  // Money and customers
  question("refund the customer", "Paddle.create_adjustment"),
  question("put her subscription on hold", "Paddle.pause_subscription"),
  question("bill ACME for 10 hours of consulting", "Quickbooks.create_invoice"),
  question("did we make money last quarter?", "Quickbooks.get_profit_loss Quickbooks.get_report"),
  question("how much did I spend on groceries", "Lunchmoney.get_transactions Lunchmoney.get_budget_summary"),
  question("which orders came in today", "Shopify.get-orders"),
  question(
    "find the company Initech in our CRM",
    "Attio.search-companies Hubspot.hubspot-search-objects Salesforce.salesforce_search_all Salesforce.salesforce_query_records",
  ),

  // The world
  question(
    "will it rain in Berlin tomorrow",
    "Weather.weather_forecast Weather.dwd_icon_forecast Weather.gfs_forecast Weather.ecmwf_forecast Weather.metno_forecast Weather.meteofrance_forecast",
  ),
  question("how do I drive from Lyon to Geneva", "Maps.maps_directions Mapbox.directions_tool"),
  question(
    "coffee shops near the station",
    "Maps.maps_search_places Mapbox.category_search_tool Mapbox.search_and_geocode_tool Brave.brave_local_search",
  ),
  question("say this in French", "Deepl.translate-text"),
];

/** Chosen once, before anything was tuned. */
const SEED = 1;

/** Half of the questions each, drawn by the seed. */
export const { tuning: TUNING, heldOut: HELD_OUT } = halves(QUESTIONS, SEED);

function halves(
  questions: readonly Question[],
  seed: number,
): { tuning: readonly Question[]; heldOut: readonly Question[] } {
  const drawn = questions
    .map((each) => ({ each, lot: Bun.hash(`${seed} ${each.ask}`) }))
    .toSorted((left, right) => (left.lot < right.lot ? -1 : 1))
    .map(({ each }) => each);
  return { tuning: drawn.slice(0, questions.length / 2), heldOut: drawn.slice(questions.length / 2) };
}

function question(ask: string, answers: string): Question {
  const [first = "", ...more] = answers.split(" ");
  return { ask, answers: [first, ...more] };
}
