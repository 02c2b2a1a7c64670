// Captions and content in time: the daemon keeps the clock and says what appears and goes away; this
// shows it. Cues are text in pieces, with a fixed list of looks (case O-50).

import { h, clock } from "/page/element.js";

/** What the visitor may set, and what it is at first; all of it goes with the visit. */
export const usual = { size: 1, colors: "light", place: "bottom" };

const looks = { italic: "i", bold: "b", underlined: "u" };
const colors = ["white", "lime", "cyan", "red", "yellow", "magenta", "blue", "black"];

/** A cue's text: elements of the fixed list, and text for all else. */
function cueText(cue) {
  const parts = cue.spans?.length ? cue.spans : [{ text: cue.text }];
  return parts.map((span) => {
    let node = document.createTextNode(span.text);
    for (const style of span.style ?? []) if (looks[style]) node = h(looks[style], {}, node);
    const color = colors.includes(span.color) ? `cue-${span.color}` : null;
    return h("span", { class: color, lang: span.language ?? null }, node);
  });
}

/** The screen; `take` on its element hands on the daemon's events. */
export function captions(c, data) {
  const cues = h("div", { class: "cues", role: "log", "aria-live": "off", "aria-label": c.t("captions") });
  const part = h("aside", { class: "part", "aria-label": c.t("now"), hidden: true });
  const status = h("p", { class: "captions-status", role: "status" }, c.t("captionsWait"));
  const time = h("span", { class: "captions-time" });
  const again = h("button", { type: "button", class: "primary again", hidden: true, onclick: c.findAgain }, c.t("findAgain"));
  const video = data.item.hasSignLanguageVideo ? signVideo(data.item, c) : null;
  const stage = h("div", { class: "captions-stage" }, part, video, h("div", { class: "cue-area" }, cues, status));
  const element = h("section", { class: "screen captions-screen" },
    h("h1", { tabindex: "-1", class: "captions-title" }, data.item.title),
    stage, h("div", { class: "captions-line" }, time, again), controls(c, data, stage));
  applyLook(stage, c.captionLook);

  element.take = (kind, event) => {
    if (kind === "cue" && event.track === "captions") {
      cues.append(h("p", { class: "cue", "data-id": event.id, lang: event.language ?? data.language }, cueText(event)));
    } else if (kind === "cueEnd") {
      cues.querySelectorAll(".cue").forEach((each) => each.dataset.id === event.id && each.remove());
    } else if (kind === "part") {
      showPart(c, part, data, event);
    } else if (kind === "partEnd") {
      if (part.dataset.id === event.id) part.hidden = true;
    } else if (kind === "following") {
      status.textContent = "";
      again.hidden = true;
      if (video && event.clock) keepInStep(video, event.clock);
    } else if (kind === "position") {
      time.textContent = `${clock(event.position)} / ${clock(data.item.duration)}`;
      if (video) keepInStep(video, event);
    } else if (kind === "doubt") {
      status.textContent = c.t("captionsCheck");
      cues.replaceChildren();
    } else if (kind === "lost") {
      status.textContent = c.t((event.nextListening ?? null) === null ? "captionsLost" : "captionsSearch");
      // Where it is looked for by itself, a press looks at once.
      again.hidden = false;
      time.textContent = "";
      cues.replaceChildren();
      part.hidden = true;
      video?.pause();
    } else if (kind === "ready") {
      if (!event.language) status.textContent = c.t("noCaptions");
    } else if (kind === "ended") {
      cues.replaceChildren();
      part.hidden = true;
      status.textContent = c.t("captionsEnded");
    }
  };
  return element;
}

/** The lesson's step, the exhibit or the product that is on: text, picture, and its link as a code. */
function showPart(c, box, data, part) {
  const details = data.item.parts?.find((each) => each.id === part.id) ?? { ...part, catalog: data.item.catalog, id: part.id };
  box.dataset.id = part.id;
  const query = new URLSearchParams({ catalog: data.item.catalog, id: part.id });
  const image = part.artwork ? h("img", { alt: "", src: part.artworkSource ?? `/v1/artwork?${query}` }) : null;
  image?.addEventListener("error", () => image.remove());
  box.replaceChildren(...[image, h("h2", {}, part.title),
    part.subtitle ? h("p", {}, part.subtitle) : null,
    details.code ? c.code(details.code, details.link) : null].filter(Boolean));
  box.hidden = false;
}

function signVideo(item, c) {
  const query = new URLSearchParams({ catalog: item.catalog, id: item.id });
  const video = h("video", { class: "sign", muted: true, playsinline: true, "aria-label": c.t("signLanguage"), src: item.videoSource ?? `/v1/video?${query}` });
  video.muted = true;
  video.addEventListener("error", () => video.remove());
  return video;
}

/**
 * Keeps a video in step with the sound: what is far off leaps, what is a little off plays a little
 * faster or slower. The numbers are those of the daemon's own rule, CompanionPace.
 */
export function keepInStep(video, { position, speed }) {
  if (video.readyState < 1) return;
  const behind = position - video.currentTime;
  const isFar = Math.abs(behind) > step.leap;
  if (isFar) video.currentTime = position;
  const change = isFar ? 0 : Math.min(step.change, Math.max(-step.change, behind / step.settle));
  video.playbackRate = Math.min(2, Math.max(0.5, speed + change));
  if (video.paused && position < video.duration) video.play().catch(() => {});
}

const step = { leap: 0.3, settle: 2, change: 0.15 };

function applyLook(stage, look) {
  stage.className = `captions-stage size-${look.size} colors-${look.colors} place-${look.place}`;
}

function controls(c, data, stage) {
  const look = c.captionLook;
  const set = (key, value) => {
    look[key] = value;
    applyLook(stage, look);
    for (const button of box.querySelectorAll(`[data-key=${key}]`)) {
      button.setAttribute("aria-pressed", String(button.dataset.value === String(value)));
    }
  };
  const group = (key, label, options) => h("div", { class: "option", role: "group", "aria-label": label },
    options.map(([value, words]) => h("button", {
      type: "button", "data-key": key, "data-value": value, "aria-pressed": String(look[key] === value),
      onclick: () => set(key, value),
    }, words)));
  const tags = data.item.captions ?? [];
  const names = new Intl.DisplayNames([c.language], { type: "language" });
  const box = h("div", { class: "captions-options" },
    group("size", c.t("captionSize"), [[0, "A"], [1, "A"], [2, "A"], [3, "A"]]),
    group("colors", c.t("captionColors"), [["light", c.t("onDark")], ["yellow", c.t("yellow")], ["dark", c.t("onLight")]]),
    group("place", c.t("captionPlace"), [["top", c.t("top")], ["middle", c.t("middle")], ["bottom", c.t("bottom")]]),
    tags.length > 1 ? h("div", { class: "option", role: "group", "aria-label": c.t("captionLanguage") },
      tags.map((tag) => h("button", {
        type: "button", "aria-pressed": String(tag === data.language), onclick: () => c.captionLanguage(tag),
      }, names.of(tag)))) : null,
    h("div", { class: "option" },
      h("button", { type: "button", onclick: () => c.shift(0.1) }, c.t("earlier")),
      h("button", { type: "button", onclick: () => c.shift(-0.1) }, c.t("later"))),
    h("div", { class: "option plain-buttons" },
      h("button", { type: "button", class: "leave", onclick: c.leaveCaptions }, c.t("back")),
      h("button", { type: "button", onclick: c.done }, c.t("done"))));
  return box;
}
