// Stand-ins of the platform's two browser scripts: the parts of `gapi`, `google.picker` and `google.accounts` that the
// product may use. Other parts do not exist; missing required values are errors.

import { ACTIONS } from "../behaviour/picker";

/** `/js/api.js`: `gapi.load("picker", …)` loads `google.picker`. */
export const API_SCRIPT = `"use strict";
(() => {
  const base = new URL(document.currentScript.src).origin;

  class DocsView {
    constructor(id) {
      if (id !== "spreadsheets") throw new Error("unknown view " + id);
      this.settings = { mimeTypes: "", drives: false };
    }
    setMimeTypes(types) { this.settings.mimeTypes = types; return this; }
    setEnableDrives(drives) { this.settings.drives = drives; return this; }
  }

  class PickerBuilder {
    settings = { views: [], features: [] };
    addView(view) { this.settings.views.push(view.settings); return this; }
    setAppId(id) { this.settings.appId = id; return this; }
    setOAuthToken(token) { this.settings.token = token; return this; }
    setOrigin(origin) { this.settings.origin = origin; return this; }
    enableFeature(feature) { this.settings.features.push(feature); return this; }
    setCallback(callback) { this.callback = callback; return this; }
    build() {
      for (const name of ["appId", "token", "origin"])
        if (!this.settings[name]) throw new Error("the picker needs its " + name);
      if (this.settings.views.length === 0 || !this.callback) throw new Error("a picker needs a view and a callback");
      return new Picker(this.settings, this.callback);
    }
  }

  class Picker {
    constructor(settings, callback) {
      this.frame = document.createElement("iframe");
      this.frame.className = "picker-dialog";
      this.frame.src = base + "/picker?" + new URLSearchParams({
        app_id: settings.appId, token: settings.token, origin: settings.origin,
        views: JSON.stringify(settings.views), features: settings.features.join(","),
      });
      addEventListener("message", ({ origin, source, data }) => {
        if (origin !== base || source !== this.frame.contentWindow) return;
        this.frame.remove();
        callback(data);
      });
    }
    setVisible(visible) {
      if (!visible) return this.frame.remove();
      const style = document.createElement("style");
      style.textContent =
        ".picker-dialog { position: fixed; inset: 5%; width: 90%; height: 90%; background: #fff; border: 1px solid #888; }";
      document.head.append(style);
      if (visible) document.body.append(this.frame);
    }
  }

  globalThis.gapi = {
    load(name, settings) {
      if (name !== "picker") throw new Error("unknown part " + name);
      setTimeout(() => {
        globalThis.google = Object.assign(globalThis.google ?? {}, {
          picker: {
            DocsView, PickerBuilder,
            ViewId: { SPREADSHEETS: "spreadsheets" },
            Feature: { MULTISELECT_ENABLED: "multiselectEnabled", SUPPORT_DRIVES: "sdr" },
            Action: ${JSON.stringify(ACTIONS)},
          },
        });
        (typeof settings === "function" ? settings : settings.callback)();
      }, 1);
    },
  };
})();
`;

/** `/gsi/client`: a token client that asks the person in a new window. */
export const IDENTITY_SCRIPT = `"use strict";
(() => {
  const base = new URL(document.currentScript.src).origin;

  function initTokenClient(settings) {
    for (const name of ["client_id", "scope", "callback"])
      if (!settings[name]) throw new Error("a token client needs " + name);
    return { requestAccessToken: () => ask(settings) };
  }

  function ask(settings) {
    const query = new URLSearchParams({
      client_id: settings.client_id, scope: settings.scope, origin: location.origin,
      include_granted_scopes: String(settings.include_granted_scopes ?? true),
      prompt: settings.prompt ?? "",
    });
    const popup = open(base + "/gsi/select?" + query, "_blank", "popup,width=500,height=600");
    if (popup === null) return settings.error_callback?.({ type: "popup_failed_to_open" });
    const timer = setInterval(() => {
      if (!popup.closed) return;
      end();
      settings.error_callback?.({ type: "popup_closed" });
    }, 200);
    const listen = ({ origin, source, data }) => {
      if (origin !== base || source !== popup) return;
      end();
      // Closed here: a window that closes itself may be detected as closed before its message arrives.
      popup.close();
      settings.callback(data);
    };
    const end = () => {
      clearInterval(timer);
      removeEventListener("message", listen);
    };
    addEventListener("message", listen);
  }

  globalThis.google = Object.assign(globalThis.google ?? {}, {
    accounts: {
      oauth2: {
        initTokenClient,
        hasGrantedAllScopes: (answer, ...scopes) =>
          scopes.every((scope) => (answer.scope ?? "").split(" ").includes(scope)),
      },
    },
  });
})();
`;
