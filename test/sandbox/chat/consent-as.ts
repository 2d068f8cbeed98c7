// Goes through the consent page like a person: submits its form, and does not open the next page.

interface Form {
  action: string;
  readonly hidden: [string, string][];
  readonly choices: string[];
}

/**
 * Consents on the sandbox's page. `page`: its address, a response that shows it, or one that redirects to it.
 * `personName`: whose button is pressed (`alice`, …), or `cancel`. Answers the address to which the browser would be sent (with `code` and
 * `state`, or `error`), which is not called. Throws when the page is an error page or has no such button.
 */
export async function consentAs(page: Response | string, personName: string): Promise<string> {
  const shown = typeof page === "string" ? await fetch(page, { redirect: "manual" }) : page;
  const next = shown.headers.get("location");
  if (next !== null) return isConsentPage(next) ? consentAs(next, personName) : next;
  if (shown.status !== 200) throw new Error(`No consent page: ${shown.status} ${await shown.text()}`);
  const form = await readForm(shown);
  if (!form.choices.includes(personName))
    throw new Error(`The consent page has no button for ${personName}.`);
  const answer = await fetch(new URL(form.action, shown.url), {
    method: "POST",
    redirect: "manual",
    body: new URLSearchParams([...form.hidden, ["user", personName]]),
  });
  const location = answer.headers.get("location");
  if (location === null) throw new Error(`No redirect: ${answer.status} ${await answer.text()}`);
  return location;
}

/** A redirect to the page is the product's; any other is a refusal of the platform without a page. */
function isConsentPage(location: string): boolean {
  return URL.parse(location)?.pathname === "/oauth/v2/authorize";
}

async function readForm(page: Response): Promise<Form> {
  const form: Form = { action: "", hidden: [], choices: [] };
  const rewriter = new HTMLRewriter()
    .on("form", { element: (element) => void (form.action = decode(element.getAttribute("action"))) })
    .on("form input[type=hidden]", {
      element: (element) =>
        void form.hidden.push([decode(element.getAttribute("name")), decode(element.getAttribute("value"))]),
    })
    .on("form button[name=user]", {
      element: (element) => void form.choices.push(decode(element.getAttribute("value"))),
    });
  await rewriter.transform(page).text();
  return form;
}

/** The attribute's value, with the five escapes of HTML decoded. */
function decode(attribute: string | null): string {
  return (attribute ?? "")
    .replaceAll("&quot;", '"')
    .replaceAll("&#x27;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}
