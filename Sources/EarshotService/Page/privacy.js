// The privacy screen: what is decided, used and kept during a visit, each to be changed with one
// press (rules R5, S3).

import { h, icon } from "/page/element.js";

/** One choice with all that it can be; the daemon is asked, and the screen shows what it says. */
function choice(c, each) {
  const isMicrophone = each.capability === "microphone";
  const name = c.t(isMicrophone ? "microphoneChoice" : "libraryChoice");
  const options = [["ask", "ask"], ["allow", isMicrophone ? "allow" : "save"],
    ["deny", isMicrophone ? "deny" : "never"]];
  return h("div", { class: "choice-row" },
    h("div", {}, h("h2", { id: `choice-${each.capability}` }, name), h("p", {}, each.purpose[c.language])),
    h("div", { class: "switch", role: "group", "aria-labelledby": `choice-${each.capability}` },
      options.map(([value, key]) => h("button", {
        type: "button", "aria-pressed": String(each.choice === value),
        onclick: () => c.decide(each.capability, value),
      }, c.t(key)))));
}

function when(c, milliseconds) {
  return new Date(milliseconds).toLocaleTimeString(c.language, { hour: "2-digit", minute: "2-digit" });
}

export function privacy(c, visit) {
  const uses = visit.uses.map((use) => h("li", {},
    c.t("use", { time: when(c, use.opened), seconds: ((use.milliseconds ?? 0) / 1000).toFixed(1) })));
  const saved = visit.saved.map((each) => h("li", { class: "saved-row" },
    h("span", {}, each.artist ? `${each.title} · ${each.artist}` : each.title),
    h("button", {
      type: "button", class: "quiet", "aria-label": `${c.t("remove")}: ${each.title}`,
      onclick: () => c.remove(each.id),
    }, c.t("remove"))));
  return h("section", { class: "screen privacy" },
    h("h1", { tabindex: "-1" }, c.t("privacyTitle")), h("p", { class: "lead" }, c.t("privacyText")),
    h("div", { class: "card" }, visit.choices.map((each) => choice(c, each))),
    h("div", { class: "columns" },
      h("div", { class: "card" }, h("h2", {}, c.t("usesTitle")),
        uses.length ? h("ul", { class: "plain" }, uses) : h("p", {}, c.t("noUses"))),
      h("div", { class: "card" }, h("h2", {}, c.t("savedTitle")),
        saved.length ? h("ul", { class: "plain" }, saved) : h("p", {}, c.t("noSaved")),
        saved.length > 1 ? h("button", { type: "button", class: "secondary", onclick: c.removeAll },
          c.t("removeAll")) : null)),
    h("div", { class: "card label-card" }, h("h2", {}, icon("shield"), c.t("labelTitle")),
      h("dl", { class: "label-list" }, c.setup.privacyLabel[c.language].map((part) => h("div", {},
        h("dt", {}, part.title), part.entries.map((entry) => h("dd", {}, entry)))))),
    h("div", { class: "actions" },
      h("button", { type: "button", class: "primary", onclick: c.done }, c.t("done")),
      h("button", { type: "button", class: "secondary", onclick: c.start }, c.t("back"))));
}
