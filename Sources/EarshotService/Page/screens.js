// The screens: each is made of its data alone, so that a preview draws what a visitor sees.

import { h, icon, code, clock } from "/page/element.js";

/** A heading that takes the focus when the screen comes up. */
const title = (words, props = {}) => h("h1", { tabindex: "-1", ...props }, words);

function link(c, key, sign, action) {
  return h("button", { type: "button", class: "quiet", onclick: action }, icon(sign), c.t(key));
}

function actions(...buttons) {
  return h("div", { class: "actions" }, buttons.filter(Boolean));
}

/** The button of one listening (rules B5, B6). */
export function listenButton(c) {
  const words = c.setup.button.label[c.language];
  return h("button", { type: "button", class: "listen", onclick: c.press },
    icon("microphone", c.setup.button.icon), h("span", { class: "label" }, words));
}

export function start(c) {
  const button = c.isButtonFaulty
    ? h("p", { class: "faulty", role: "alert" }, c.t("faultyButton")) : listenButton(c);
  return h("section", { class: "screen start" },
    title(c.t("startTitle")), h("p", { class: "lead" }, c.t("startText")), button,
    actions(link(c, "byHand", "list", c.choose), link(c, "privacy", "shield", c.privacy)));
}

export function explanation(c) {
  const { icon: sign, texts } = c.setup.explanation;
  const words = texts[c.language];
  return h("section", { class: "screen explanation" },
    sign ? h("div", { class: "emblem" }, icon(sign)) : null,
    title(words.title),
    h("div", { class: "sentences" }, words.sentences.map((sentence) => h("p", {}, sentence))),
    h("button", { type: "button", class: "primary", onclick: c.go }, words.action));
}

export function opening(c) {
  return h("section", { class: "screen opening" },
    h("div", { class: "emblem" }, icon("microphone")), title(c.t("opening")),
    actions(link(c, "stop", "closed", c.stop)));
}

export function listening(c, data) {
  const seconds = Math.ceil(data.secondsLeft);
  return h("section", { class: "screen listening" },
    h("div", { class: "rings" },
      h("div", { class: "ring ring-3" }), h("div", { class: "ring ring-2" }),
      h("div", { class: "ring ring-1" }), h("div", { class: "count", "aria-hidden": "true" }, String(seconds))),
    title(c.t("listeningTitle")), h("p", { class: "lead" }, c.t("listeningText")),
    h("button", { type: "button", class: "primary", onclick: c.stop }, c.t("stop")));
}

/** What a name's genre looks like: one of eight tones, the same for the same word. */
export function tone(genres) {
  const known = [
    [/classic|opera|choral|класс|опера|古典|클래식/i, 0], [/jazz|blues|джаз|блюз|爵士|재즈/i, 1],
    [/folk|world|народ|фольк|民|민속|국악/i, 2], [/rock|metal|punk|рок|摇滚|록/i, 3],
    [/electro|techno|ambient|электр|电子|전자/i, 4], [/speech|talk|lecture|lesson|речь|лекц|урок|讲|강의|말/i, 5],
    [/nature|bird|wild|природ|птиц|自然|鸟|자연|새/i, 6], [/pop|dance|поп|流行|팝/i, 7],
  ];
  const word = genres?.[0];
  if (!word) return "tone-5";
  for (const [pattern, number] of known) if (pattern.test(word)) return `tone-${number}`;
  let sum = 0;
  for (const letter of word) sum = (sum * 31 + letter.codePointAt(0)) % 8;
  return `tone-${sum}`;
}

function picture(c, item) {
  if (item.hasArtwork) {
    const query = new URLSearchParams({ catalog: item.catalog, id: item.id });
    const src = item.artworkSource ?? `/v1/artwork?${query}`;
    const image = h("img", { class: "artwork", alt: "", src });
    image.addEventListener("error", () => image.replaceWith(emblem(item)));
    return image;
  }
  return emblem(item);
}

/** Without a picture: the title's first letter on the genre's tone. */
function emblem(item) {
  const letter = [...item.title.trim()][0]?.toLocaleUpperCase() ?? "";
  return h("div", { class: "artwork blank", "aria-hidden": "true" }, letter);
}

export function item(c, data) {
  const { item, isChosen } = data;
  const facts = [item.artist, item.album].filter(Boolean);
  const take = item.code ? h("figure", { class: "take" },
    code(item.code, c.t("codeLabel", { link: item.link })),
    h("figcaption", {}, h("strong", {}, c.t("takeAlong")), h("span", { class: "address" }, shown(item.link))))
    : null;
  return h("section", { class: `screen item ${tone(item.genres)}` },
    picture(c, item),
    h("div", { class: "facts" },
      h("p", { class: "eyebrow" }, c.t(isChosen ? "itemEyebrow" : "matchEyebrow")),
      title(item.title, { lang: item.language ?? null }),
      item.subtitle ? h("p", { class: "subtitle" }, item.subtitle) : null,
      facts.length ? h("p", { class: "by" }, facts.join(" · ")) : null,
      item.genres?.length || item.isExplicit ? h("ul", { class: "genres" },
        (item.genres ?? []).slice(0, 3).map((genre) => h("li", {}, genre)),
        item.isExplicit ? h("li", {}, c.t("explicit")) : null) : null,
      data.position === undefined ? null : positionBar(c, item, data.position),
      h("p", { class: "saved", hidden: !data.isSaved }, c.t("saved")),
      take,
      actions(
        item.captions?.length || item.hasSignLanguageVideo || item.parts
          ? h("button", { type: "button", class: "primary", onclick: c.captions }, c.t("captions")) : null,
        h("button", { type: "button", class: "primary", onclick: c.done }, c.t("done")),
        h("button", { type: "button", class: "secondary", onclick: c.start }, c.t("back")))));
}

/** An address without its scheme, as people read it. */
function shown(address) {
  return address.replace(/^https?:\/\//, "").replace(/\/$/, "");
}

function positionBar(c, item, position) {
  const bar = h("progress", { max: item.duration, value: position, "aria-label": c.t("position") });
  return h("div", { class: "position" }, bar, h("p", { class: "times" },
    c.t("positionNow", { time: clock(position), duration: clock(item.duration) })));
}

/** Moves the position of an item that is shown. */
export function movePosition(c, screen, item, position) {
  const at = Math.min(position, item.duration);
  const bar = screen.querySelector("progress");
  if (!bar) return;
  bar.value = at;
  const words = c.t("positionNow", { time: clock(at), duration: clock(item.duration) });
  const line = screen.querySelector(".times");
  if (line.textContent !== words) line.textContent = words;
}

/** One calm screen for each end without an item: what happened, what it means, the next step. */
export function outcome(c, data) {
  const [sign, head, body] = ending(c, data);
  const isSettings = data.outcome === "denied" && data.reason === "denied";
  return h("section", { class: "screen outcome" },
    h("div", { class: "emblem" }, icon(sign)), title(head), h("p", { class: "lead" }, body),
    actions(
      h("button", { type: "button", class: "primary", onclick: c.start }, c.t("retry")),
      h("button", { type: "button", class: "secondary", onclick: c.choose }, c.t("byHand"))),
    isSettings ? actions(link(c, "privacy", "shield", c.privacy)) : null);
}

function ending(c, { outcome, reason, seconds }) {
  const parts = { minutes: Math.max(1, Math.ceil((seconds ?? 0) / 60)) };
  if (outcome === "no-match") return ["question", c.t("noMatchTitle"), c.t("noMatchText")];
  if (outcome === "too-short") return ["ear", c.t("shortTitle"), c.t("shortText")];
  if (outcome === "no-signal") {
    return reason === "muted" ? ["silence", c.t("mutedTitle"), c.t("mutedText")]
      : ["silence", c.t("silenceTitle"), c.t("silenceText")];
  }
  if (outcome === "cancelled") return ["closed", c.t("cancelledTitle"), c.t("cancelledText")];
  if (outcome === "denied") {
    const body = {
      denied: "deniedText", dismissed: "dismissedText", restricted: "restrictedText",
      "too-often": "tooOftenText", busy: "busyText", revoked: "revokedText",
    }[reason] ?? "dismissedText";
    return ["closed", c.t("deniedTitle"), c.t(body, parts)];
  }
  const body = /^catalog|^no-catalog/.test(reason ?? "") ? "catalogText"
    : /^disk|^read-only|^ledger/.test(reason ?? "") ? "diskText"
    : /^device|^source|^unknown-source|^no-device/.test(reason ?? "") ? "deviceText" : "errorText";
  return ["closed", c.t("errorTitle"), c.t(body)];
}

function choices(c, entries) {
  return h("ul", { class: "list" }, entries.map((entry) => h("li", {},
    h("button", { type: "button", class: "entry", onclick: () => c.open(entry) },
      h("span", { class: "entry-title" }, entry.title),
      entry.artist ? h("span", { class: "entry-artist" }, entry.artist) : null))));
}

export function ambiguous(c, data) {
  return h("section", { class: "screen ambiguous" },
    title(c.t("ambiguousTitle")), h("p", { class: "lead" }, c.t("ambiguousText")),
    choices(c, data.matches.slice(0, 5)),
    actions(h("button", { type: "button", class: "secondary", onclick: c.start }, c.t("retry"))));
}

export function choose(c, data) {
  const list = h("div", { class: "found" });
  const show = (words) => {
    const wanted = words.trim().toLocaleLowerCase();
    const found = data.entries.filter((entry) =>
      `${entry.title} ${entry.artist ?? ""}`.toLocaleLowerCase().includes(wanted)).slice(0, 200);
    list.replaceChildren(found.length ? choices(c, found)
      : h("p", { class: "lead" }, c.t(data.entries.length ? "nothingFound" : "emptyList")));
  };
  const field = h("input", {
    type: "search", class: "find", "aria-label": c.t("find"), placeholder: c.t("find"),
    autocomplete: "off", spellcheck: "false", oninput: (event) => show(event.target.value),
  });
  show("");
  return h("section", { class: "screen choose" },
    title(c.t("chooseTitle")), h("p", { class: "lead" }, c.t("chooseText")),
    data.entries.length > 8 ? field : null, list,
    actions(h("button", { type: "button", class: "secondary", onclick: c.start }, c.t("back"))));
}

export function lost(c, data) {
  const isLink = data?.isLink;
  return h("section", { class: "screen outcome" },
    h("div", { class: "emblem" }, icon("closed")),
    title(c.t(isLink ? "linkTitle" : "lostTitle")),
    h("p", { class: "lead" }, c.t(isLink ? "linkText" : "lostText")));
}
