// Stand-ins of the platform's two browser scripts: the parts of `gapi`, `google.picker` and `google.accounts` that the
// product may use. Other parts do not exist; missing required values are errors.

/** `/js/api.js`: `gapi.load("picker", …)` loads `google.picker`. */
export const API_SCRIPT = `"use strict";
(() => {
  const base = new URL(document.currentScript.src).origin;

  class DocsView {
    constructor(id) {
      if (id !== "spreadsheets") throw new Error("unknown view " + id);
      this.told = { mimeTypes: "", drives: false };
    }
    setMimeTypes(types) { this.told.mimeTypes = types; return this; }
    setEnableDrives(drives) { this.told.drives = drives; return this; }
  }

  class PickerBuilder {
    told = { views: [], features: [] };
    addView(view) { this.told.views.push(view.told); return this; }
    setAppId(id) { this.told.appId = id; return this; }
    setOAuthToken(token) { this.told.token = token; return this; }
    setOrigin(origin) { this.told.origin = origin; return this; }
    enableFeature(feature) { this.told.features.push(feature); return this; }
    setCallback(callback) { this.callback = callback; return this; }
    build() {
      for (const name of ["appId", "token", "origin"])
        if (!this.told[name]) throw new Error("the picker was not told its " + name);
      if (this.told.views.length === 0 || !this.callback) throw new Error("a picker needs a view and a callback");
      return new Picker(this.told, this.callback);
    }
  }

  class Picker {
    constructor(told, callback) {
      this.frame = document.createElement("iframe");
      this.frame.className = "picker-dialog";
      this.frame.src = base + "/picker?" + new URLSearchParams({
        app_id: told.appId, token: told.token, origin: told.origin,
        views: JSON.stringify(told.views), features: told.features.join(","),
      });
      addEventListener("message", ({ origin, source, data }) => {
        if (origin !== base || source !== this.frame.contentWindow) return;
        this.frame.remove();
        callback(data);
      });
    }
    setVisible(visible) {
      const style = document.createElement("style");
      style.textContent =
        ".picker-dialog { position: fixed; inset: 5%; width: 90%; height: 90%; background: #fff; border: 1px solid #888; }";
      document.head.append(style);
      if (visible) document.body.append(this.frame);
    }
  }

  globalThis.gapi = {
    load(name, told) {
      if (name !== "picker") throw new Error("unknown part " + name);
      setTimeout(() => {
        globalThis.google = Object.assign(globalThis.google ?? {}, {
          picker: {
            DocsView, PickerBuilder,
            ViewId: { SPREADSHEETS: "spreadsheets" },
            Feature: { MULTISELECT_ENABLED: "multiselectEnabled", SUPPORT_DRIVES: "sdr" },
            Action: { PICKED: "picked", CANCEL: "cancel" },
          },
        });
        (typeof told === "function" ? told : told.callback)();
      }, 1);
    },
  };
})();
`;

/** `/gsi/client`: a token client that asks the person in a new window. */
export const IDENTITY_SCRIPT = `"use strict";
(() => {
  const base = new URL(document.currentScript.src).origin;

  function initTokenClient(told) {
    for (const name of ["client_id", "scope", "callback"])
      if (!told[name]) throw new Error("a token client needs " + name);
    return { requestAccessToken: () => ask(told) };
  }

  function ask(told) {
    const query = new URLSearchParams({
      client_id: told.client_id, scope: told.scope, origin: location.origin,
      include_granted_scopes: String(told.include_granted_scopes ?? true),
    });
    const popup = open(base + "/gsi/select?" + query, "_blank", "popup,width=500,height=600");
    if (popup === null) return told.error_callback?.({ type: "popup_failed_to_open" });
    const timer = setInterval(() => {
      if (!popup.closed) return;
      end();
      told.error_callback?.({ type: "popup_closed" });
    }, 200);
    const listen = ({ origin, source, data }) => {
      if (origin !== base || source !== popup) return;
      end();
      // Closed here: a window that closes itself may be detected as closed before its message arrives.
      popup.close();
      told.callback(data);
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
