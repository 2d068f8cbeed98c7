// The script of the picker page, for browsers: this process only serves it. It gets a token for single files from the
// platform's identity script and passes it to the platform's picker. The token stays in the browser. The script does not
// revoke it: at this platform that would revoke the whole grant, including the stored one.
// Without `include_granted_scopes: false` the token would have all scopes that were granted to this client before.

export const PICKER_SCRIPT = `"use strict";
(() => {
  const { clientId, appId, scope, mimeType } = document.currentScript.dataset;
  const button = document.getElementById("pick");
  const message = document.getElementById("message");
  const other = document.getElementById("other");
  const say = (text) => {
    message.textContent = text;
  };
  const again = (text) => {
    say(text);
    button.disabled = false;
  };
  const BLOCKED =
    "The scripts of the platform could not be loaded. Pick on the platform's own page, or allow them and load the page again.";

  if (globalThis.gapi === undefined || globalThis.google?.accounts === undefined) {
    say(BLOCKED);
    return;
  }

  const signIn = google.accounts.oauth2.initTokenClient({
    client_id: clientId,
    scope,
    prompt: "select_account",
    include_granted_scopes: false,
    callback: (answer) => {
      if (answer.error !== undefined) again("The permission was not given. Nothing was picked.");
      else if (!google.accounts.oauth2.hasGrantedAllScopes(answer, scope))
        again("Without the permission for single files nothing can be picked.");
      else showPicker(answer.access_token);
    },
    error_callback: (error) =>
      again(
        error.type === "popup_failed_to_open"
          ? "The window to sign in could not be opened. Allow pop-ups for this page and try again."
          : "The window to sign in was closed. Nothing was picked.",
      ),
  });

  let picker;

  function showPicker(token) {
    say("");
    // Over the picker's backdrop, because a picker that stays empty cannot be closed.
    other.style.cssText =
      "position:fixed;left:0;right:0;bottom:0;margin:0;padding:.6rem;z-index:2147483647;background:Canvas;text-align:center";
    const { DocsView, Feature, PickerBuilder, ViewId } = google.picker;
    const view = () => new DocsView(ViewId.SPREADSHEETS).setMimeTypes(mimeType);
    picker = new PickerBuilder()
      .setAppId(appId)
      .setOAuthToken(token)
      .setOrigin(location.origin)
      .addView(view())
      .addView(view().setEnableDrives(true))
      .enableFeature(Feature.MULTISELECT_ENABLED)
      .enableFeature(Feature.SUPPORT_DRIVES)
      .setCallback(finish)
      .build();
    picker.setVisible(true);
  }

  function hidePicker() {
    picker.setVisible(false);
    other.style.cssText = "";
  }

  function finish(answer) {
    const { CANCEL, ERROR, PICKED } = google.picker.Action;
    if (![CANCEL, ERROR, PICKED].includes(answer.action)) return;
    hidePicker();
    if (answer.action === CANCEL) again("Nothing was picked.");
    if (answer.action === ERROR)
      again("The picker of the platform reported an error. Try again, or pick on the platform's own page.");
    if (answer.action !== PICKED) return;
    button.hidden = true;
    other.remove();
    document.querySelector("h1").textContent = "Done";
    for (const hint of document.querySelectorAll("main > p:not([id])")) hint.remove();
    const count = answer.docs.length === 1 ? "1 file" : answer.docs.length + " files";
    say("Picked " + count + ". Done: go back and run the tool again.");
  }

  button.addEventListener("click", () => {
    button.disabled = true;
    say("");
    signIn.requestAccessToken();
  });
  gapi.load("picker", {
    callback: () => {
      button.disabled = false;
    },
    onerror: () => say(BLOCKED),
  });
})();
`;
