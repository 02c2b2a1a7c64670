// The page: one visitor at a time, one screen at a time. What is shown follows from the daemon's
// events; nothing here guesses whether the microphone is open.

import { h, icon, code } from "/page/element.js";
import { languages, text } from "/page/texts.js";
import { ask, follow, followCaptions, listen, Refused } from "/page/daemon.js";
import { faultsEverywhere, faultsNow } from "/page/button.js";
import { showPrompt, keepFocus } from "/page/prompt.js";
import * as screens from "/page/screens.js";
import { privacy } from "/page/privacy.js";
import { captions, usual } from "/page/captions.js";

const scales = [100, 125, 150, 175, 200];
const idleSeconds = 60;
const captionIdleSeconds = 300;
const warningSeconds = 15;
const root = document.documentElement;

const page = {
  setup: null, language: "en", scale: 100, isButtonFaulty: false, isConnected: false,
  /** The screen that is up: its name, its data, its element. */
  screen: { name: "", data: undefined, element: null },
  /** Uses of the microphone that the daemon has told of and not closed yet. */
  open: new Set(),
  /** The listening that this page has begun, while its stream lasts. */
  listening: null,
  prompt: null,
  /** The captions that are on, and how the visitor wants them. */
  captions: null, captionLook: { ...usual },
  isVisiting: false, hasExplained: false,
  /** What the daemon has last said of this visit. */
  visit: null,
  lastInput: 0, lastTouch: 0, idleDialog: null, positionTimer: 0,
};

const t = (key, parts) => text(page.language, key, parts);

/** What the screens are made with. */
const context = {
  get setup() { return page.setup; },
  get language() { return page.language; },
  get isButtonFaulty() { return page.isButtonFaulty; },
  t,
  press: (event) => press(event),
  // The second of two quick taps on Listen was not meant for what came up under it.
  go: (event) => event.isTrusted && event.detail <= 1 && begin(),
  stop: () => stop(),
  start: () => leaveTo("start"),
  done: () => endVisit(),
  choose: () => choose(),
  privacy: () => openPrivacy(),
  open: (entry) => openItem(entry, { isChosen: true }),
  decide: (capability, choice) => change("POST", `/v1/visit/choice${query()}`, { capability, choice }),
  remove: (id) => change("DELETE", `/v1/visit/saved/${id}${query()}`),
  removeAll: () => confirmRemoval(),
  captions: () => beginCaptions(),
  get captionLook() { return page.captionLook; },
  captionLanguage: (tag) => beginCaptions(tag),
  shift: (seconds) => page.captions?.id
    && ask("POST", `/v1/captions/${page.captions.id}`, { shift: seconds }).catch(() => {}),
  findAgain: (event) => findAgain(event),
  leaveCaptions: () => leaveCaptions(),
  code: (rows, link) => code(rows, t("codeLabel", { link })),
};

const query = () => `?language=${page.language}`;

// MARK: The frame

const notice = h("p", { class: "notice" });
const footer = h("footer", {}, notice);
const main = h("main", {});
const header = h("header", {});
const level = h("div", { class: "level" }, h("div", { class: "level-fill" }));
const indicatorWords = h("span", { class: "indicator-words" });
const indicatorSeconds = h("span", { class: "indicator-seconds" });
const indicator = h("div", { class: "indicator", popover: "manual", role: "region" },
  h("span", { class: "dot", "aria-hidden": "true" }), indicatorWords, level, indicatorSeconds);
const live = document.getElementById("live");

function drawFrame() {
  root.lang = page.language;
  root.className = `scale-${page.scale} design-${page.setup.page}`;
  document.title = page.setup.name;
  const size = (step, key, sign) => {
    const next = scales[scales.indexOf(page.scale) + step];
    return h("button", {
      type: "button", class: "size", "aria-label": t(key), disabled: next === undefined,
      onclick: () => setScale(next),
    }, sign);
  };
  header.replaceChildren(
    h("button", { type: "button", class: "home", onclick: context.start },
      icon("home"), h("span", {}, t("home"))),
    h("p", { class: "place" }, page.setup.name),
    h("div", { class: "settings" },
      h("div", { class: "languages", role: "group", "aria-label": t("languages") },
        languages.map(([tag, name]) => h("button", {
          type: "button", lang: tag, "aria-pressed": String(tag === page.language),
          onclick: () => setLanguage(tag),
        }, name))),
      h("div", { class: "sizes", role: "group", "aria-label": t("textSize") },
        size(-1, "smaller", "A−"), size(1, "larger", "A+"))));
  notice.textContent = t("notice", {
    seconds: Math.ceil(page.setup.limit), responsible: page.setup.responsible,
    contact: page.setup.contact,
  });
  root.style.setProperty("--footer", `${footer.offsetHeight}px`);
  drawIndicator();
}

/** Puts a screen up. Its heading takes the focus, unless the page is at its beginning. */
export function show(name, data, { keepsFocus = false } = {}) {
  clearInterval(page.positionTimer);
  const make = { privacy, captions }[name] ?? screens[name];
  const element = make(context, data);
  page.screen = { name, data, element };
  header.inert = name === "explanation";
  header.classList.toggle("hidden", name === "explanation");
  main.replaceChildren(element);
  if (!keepsFocus) {
    element.querySelector("h1")?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }
}

export function setLanguage(tag) {
  page.language = tag;
  redraw();
}

export function setScale(scale) {
  page.scale = scale;
  redraw();
}

function redraw() {
  const at = document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.lang;
  drawFrame();
  show(page.screen.name, page.screen.data, { keepsFocus: true });
  // The button that was pressed has been drawn anew; whoever uses the keyboard is still on it.
  const again = [...header.querySelectorAll("button")].find((each) =>
    at && (each.getAttribute("aria-label") === at || each.lang === at) && !each.disabled);
  again?.focus();
  if (page.screen.name === "item") followPosition();
  if (page.screen.name === "captions" && page.captions) {
    for (const [kind, event] of page.captions.shown.values()) page.screen.element.take(kind, event);
  }
}

const say = (words) => { live.textContent = words; };

// MARK: The indicator (rule L4)

function drawIndicator() {
  const isOpen = page.open.size > 0;
  indicatorWords.textContent = t("microphoneOpen");
  indicator.setAttribute("aria-label", t("microphoneOpen"));
  root.classList.toggle("microphone-open", isOpen);
  if (isOpen && !indicator.matches(":popover-open")) indicator.showPopover();
  if (!isOpen && indicator.matches(":popover-open")) indicator.hidePopover();
  makeRoomForIndicator();
  if (!isOpen) setLevel(0, null);
}

const makeRoomForIndicator = () => root.style.setProperty("--indicator", `${indicator.offsetHeight}px`);

// Fonts and windows change its height while it is up, and what is below it makes room.
new ResizeObserver(() => page.open.size > 0 && makeRoomForIndicator()).observe(indicator);

/** Above a dialog that has come up after it. */
function raiseIndicator() {
  if (!indicator.matches(":popover-open")) return;
  indicator.hidePopover();
  indicator.showPopover();
}

function setLevel(share, secondsLeft) {
  root.style.setProperty("--level", share.toFixed(3));
  const words = secondsLeft === null ? "" : t("secondsLeft", { seconds: Math.ceil(secondsLeft) });
  if (words === indicatorSeconds.textContent) return;
  indicatorSeconds.textContent = words;
  // They may have begun a line of their own, which must not lie over a control until the next frame.
  makeRoomForIndicator();
}

function takeEvent(kind, data) {
  if (kind === "hello") {
    page.open.clear();
    if (data.isListening) page.open.add("before");
  } else if (kind === "listening") {
    page.open.add(data.use);
    say(t("microphoneOpen"));
  } else if (kind === "closed") {
    page.open.delete(data.use);
    page.open.delete("before");
    if (page.open.size === 0) say(t("microphoneClosed"));
  }
  drawIndicator();
}

// MARK: The visit (rules K1, K2)

async function touch(hasCaptions = false) {
  page.isVisiting = true;
  page.lastTouch = performance.now();
  const visit = await ask("POST", `/v1/visit${query()}`, { hasCaptions });
  if (page.isVisiting) page.visit = visit;
  return visit;
}

function noteInput(event) {
  if (!event.isTrusted || !page.isConnected) return;
  page.lastInput = performance.now();
  if (!page.isVisiting || page.lastInput - page.lastTouch > 5000) touch(page.captions !== null).catch(() => {});
}

export async function endVisit() {
  stop({ isSilent: true });
  closeDialogs();
  // The daemon answers when the microphone is closed and all that was the visitor's is gone.
  await ask("DELETE", "/v1/visit").catch(() => {});
  beginAnew();
}

/** The first screen as it is at a fresh start. */
function beginAnew() {
  Object.assign(page, {
    language: page.setup.language, scale: 100, isVisiting: false, hasExplained: false, visit: null,
    captionLook: { ...usual },
  });
  say("");
  document.activeElement?.blur();
  drawFrame();
  show("start", undefined, { keepsFocus: true });
  scrollTo(0, 0);
}

function closeDialogs() {
  page.prompt?.close();
  page.prompt = null;
  closeAlerts();
}

function closeAlerts() {
  for (const each of document.querySelectorAll("dialog.alert")) {
    each.close();
    each.remove();
  }
  page.idleDialog = null;
}

setInterval(() => {
  if (!page.isVisiting || !page.isConnected) return;
  if (page.listening && !page.prompt) {
    page.lastInput = performance.now();
    return;
  }
  const most = page.captions ? captionIdleSeconds : idleSeconds;
  const left = most - (performance.now() - page.lastInput) / 1000;
  if (left <= 0) endVisit();
  else if (left <= warningSeconds && !page.prompt) warn(Math.ceil(left));
  else if (page.idleDialog) closeDialogs();
}, 500);

function warn(seconds) {
  const words = t("idleText", { seconds });
  if (page.idleDialog) {
    page.idleDialog.querySelector("p").textContent = words;
    return;
  }
  const stay = h("button", { type: "button", class: "primary", onclick: () => closeDialogs() }, t("stay"));
  page.idleDialog = dialog(t("idleTitle"), words, [stay], () => closeDialogs());
}

/** A question of the page's own: a title, a sentence, and buttons (rules A2, A3). */
function dialog(title, words, buttons, cancel) {
  // Never two at once (rule A1).
  closeAlerts();
  const element = h("dialog", { class: "alert", "aria-labelledby": "alert-title", tabindex: "-1", autofocus: true },
    h("h2", { id: "alert-title" }, title), h("p", {}, words), h("div", { class: "alert-buttons" }, buttons));
  element.addEventListener("cancel", (event) => {
    event.preventDefault();
    cancel();
  });
  element.addEventListener("keydown", (event) => {
    if (event.key === "Home") cancel();
    else if (event.key === "Tab") keepFocus(event, element, buttons);
  });
  document.body.append(element);
  element.showModal();
  element.focus();
  raiseIndicator();
  return element;
}

// MARK: Listening

async function press(event) {
  // Only a person's own press opens the microphone, never a script (rule C2).
  if (!event.isTrusted || !navigator.userActivation.isActive || page.listening) return;
  const button = page.screen.element.querySelector(".listen");
  if (!button) return;
  // On a small screen the fixed line may lie over a part of it until it is scrolled up.
  button.scrollIntoView({ block: "nearest", behavior: "instant" });
  const faults = faultsNow(button, page.setup.button.label[page.language]);
  if (faults.length > 0) return reportButton(faults);
  try {
    // The daemon knows of the visit since its first touch, and the tap itself may not wait for that.
    const visit = page.isVisiting && page.visit ? page.visit : await touch();
    // A second tap while the first waited must not answer what the first has brought up.
    if (!button.isConnected) return;
    if (visit.explains && !page.hasExplained) {
      page.hasExplained = true;
      history.pushState({ isExplanation: true }, "");
      return show("explanation");
    }
    await begin();
  } catch (error) {
    failed(error);
  }
}

async function begin() {
  if (page.listening) return;
  const mine = { abort: new AbortController(), result: null, isPrompted: false };
  page.listening = mine;
  show("opening");
  try {
    const { press } = await ask("POST", "/v1/press");
    await listen(press, page.language, mine.abort.signal, (kind, data) => take(mine, kind, data));
    if (!mine.result && page.listening === mine) failed(new Refused(0, "worker-lost"));
  } catch (error) {
    if (error.name !== "AbortError" && page.listening === mine && !mine.result) failed(error);
  } finally {
    if (page.listening === mine) page.listening = null;
  }
}

function take(mine, kind, data) {
  if (page.listening !== mine) return;
  if (kind === "listening") {
    mine.began = performance.now();
    mine.limit = data.limit;
    show("listening", { secondsLeft: data.limit });
    setLevel(0, data.limit);
  } else if (kind === "level") {
    showLevel(data);
  } else if (kind === "result") {
    mine.result = data;
    page.lastInput = performance.now();
    finish(mine, data);
  } else if (kind === "saved") {
    if (page.screen.name === "item") {
      page.screen.data.isSaved = true;
      page.screen.element.querySelector(".saved").hidden = false;
      say(t("saved"));
    }
  }
}

function showLevel({ peakDecibels, secondsLeft }) {
  // From -60 dB, which is a quiet room, to full scale.
  setLevel(Math.min(1, Math.max(0, (peakDecibels + 60) / 60)), secondsLeft);
  if (page.screen.name !== "listening") return;
  page.screen.data.secondsLeft = secondsLeft;
  page.screen.element.querySelector(".count").textContent = String(Math.ceil(secondsLeft));
}

function finish(mine, result) {
  const matches = result.matches ?? [];
  const isOneItem = new Set(matches.map((each) => `${each.catalog} ${each.id}`)).size === 1;
  if (result.outcome === "match" || (result.outcome === "ambiguous" && isOneItem)) {
    const match = matches[0];
    // One item that sounds like this at several places is an answer, and its place is none.
    const place = {
      began: mine.began, offset: match.offset, speed: match.speed ?? 1, use: result.use,
      isKnown: matches.length === 1 && (match.places?.length ?? 1) === 1,
    };
    return openItem(match, { place });
  }
  if (result.outcome === "ambiguous") return show("ambiguous", result);
  const reason = result.explanation?.reason;
  show("outcome", { outcome: result.outcome, reason, seconds: result.explanation?.retryAfter });
}

function stop({ isSilent = false } = {}) {
  const mine = page.listening;
  page.listening = null;
  mine?.abort.abort();
  page.captions?.abort.abort();
  page.captions = null;
  if (mine && !isSilent) show("outcome", { outcome: "cancelled" });
}

function leaveTo(name) {
  stop({ isSilent: true });
  show(name);
}

function failed(error) {
  page.listening = null;
  if (error.reason === "button") page.isButtonFaulty = true;
  if (error.reason === "button" || error.reason === "visit") return show("start");
  show("outcome", { outcome: "error", reason: error.reason });
}

function reportButton(faults) {
  page.isButtonFaulty = true;
  ask("POST", "/v1/button", { fault: faults.join("; ") }).catch(() => {});
  show("start");
}

// MARK: Prompts

function takePrompt(kind, data) {
  if (kind === "gone") {
    if (page.prompt?.id === data.id) {
      page.prompt.close();
      page.prompt = null;
    }
  } else if (kind === "shown") {
    closeDialogs();
    page.lastInput = performance.now();
    page.prompt = showPrompt(data, { home: t("home"), reminder: t("reminder") }, (choice, isHome) => {
      page.prompt = null;
      page.lastInput = performance.now();
      ask("POST", `/v1/prompts/${data.id}/answer`, { choice }).catch(() => {}).then(() => isHome && leaveTo("start"));
    });
    raiseIndicator();
  }
}

// MARK: Items, by ear and by hand

async function openItem(entry, data) {
  const wanted = new URLSearchParams({ catalog: entry.catalog, id: entry.id });
  let item = { ...entry, genres: [], duration: 0, hasArtwork: false };
  try {
    item = await ask("GET", `/v1/item?${wanted}`);
  } catch (error) {
    if (data.isChosen) return failed(error);
  }
  showItem({ ...data, item });
}

/** Shows an item; with a place its position moves with the sound. */
export function showItem(data) {
  const position = data.place?.isKnown && data.item.duration ? positionOf(data.place) : data.position;
  show("item", { ...data, position });
  say(data.item.title);
  followPosition();
}

const positionOf = ({ began, offset, speed }) => offset + (performance.now() - began) / 1000 * speed;

function followPosition() {
  const { data, element } = page.screen;
  if (!data.place?.isKnown || !data.item.duration) return;
  page.positionTimer = setInterval(() => {
    data.position = positionOf(data.place);
    screens.movePosition(context, element, data.item, data.position);
  }, 250);
}

async function choose() {
  stop({ isSilent: true });
  try {
    show("choose", await ask("GET", "/v1/items"));
  } catch (error) {
    failed(error);
  }
}

// MARK: Captions

/** From the place that was heard, or by hand from where the item is now (rule C11). */
async function beginCaptions(tag) {
  const from = page.screen.data;
  const { item, place } = from;
  const now = page.captions?.clock ?? (place?.isKnown ? { place } : null);
  const at = now?.place ? positionOf(now.place) : now ? positionOf(now) : 0;
  const speed = now?.place?.speed ?? now?.speed ?? 1;
  const use = place?.use;
  stop({ isSilent: true });
  const language = tag ?? page.language;
  const mine = { abort: new AbortController(), id: null, clock: null, shown: new Map() };
  page.captions = mine;
  show("captions", { item, language, place: place && { ...place, use: undefined }, from });
  touch(true).catch(() => {});
  const take = (kind, event) => page.captions === mine && takeCaption(mine, kind, event);
  const byHand = new URLSearchParams({ item: item.id, catalog: item.catalog, at: at.toFixed(3), speed: String(speed) });
  try {
    const isHeard = use && !tag
      && await followCaptions(`/v1/captions/${use}/${language}?again=ask`, mine.abort.signal, take);
    if (!isHeard && !await followCaptions(`/v1/captions/by-hand/${language}?${byHand}`, mine.abort.signal, take)) {
      throw new Refused(0, "captions");
    }
    if (page.captions === mine) page.captions = null;
  } catch (error) {
    if (error.name === "AbortError" || page.captions !== mine) return;
    page.captions = null;
    failed(error);
  }
}

function takeCaption(mine, kind, event) {
  // What is on is kept, so that another language of the page draws it anew.
  if (kind === "cue" || kind === "part") mine.shown.set(kind + event.id, [kind, event]);
  if (kind === "cueEnd") mine.shown.delete("cue" + event.id);
  if (kind === "partEnd") mine.shown.delete("part" + event.id);
  if (kind === "lost" || kind === "ended") mine.shown.clear();
  if (["ready", "following", "doubt", "lost"].includes(kind)) mine.shown.set(kind === "ready" ? "a" : "state", [kind, event]);
  if (kind === "ready") mine.id = event.listening;
  if (kind === "position") mine.clock = { began: performance.now(), offset: event.position, speed: event.speed };
  if (kind === "level") showLevel(event);
  if (page.screen.name === "captions") page.screen.element.take(kind, event);
}

/** A press that finds the place again (rule B7). */
async function findAgain(event) {
  if (!event.isTrusted || !navigator.userActivation.isActive || !page.captions?.id || page.listening) return;
  const mine = { abort: new AbortController(), isForCaptions: true };
  page.listening = mine;
  try {
    const { press } = await ask("POST", "/v1/press");
    await listen(press, page.language, mine.abort.signal, () => {}, page.captions.id);
  } catch (error) {
    if (error.name !== "AbortError" && page.listening === mine) failed(error);
  } finally {
    if (page.listening === mine) page.listening = null;
  }
}

function leaveCaptions() {
  const { from } = page.screen.data;
  stop({ isSilent: true });
  showItem(from);
}

// MARK: Privacy

async function openPrivacy() {
  stop({ isSilent: true });
  try {
    show("privacy", await touch());
  } catch (error) {
    failed(error);
  }
}

async function change(method, path, body) {
  const at = [...main.querySelectorAll("button")].indexOf(document.activeElement);
  try {
    show("privacy", await ask(method, path, body), { keepsFocus: true });
    main.querySelectorAll("button")[at]?.focus();
  } catch (error) {
    failed(error);
  }
}

function confirmRemoval() {
  const close = () => {
    element.close();
    element.remove();
  };
  const cancel = h("button", { type: "button", class: "secondary", onclick: close }, t("cancel"));
  const remove = h("button", {
    type: "button", class: "danger", onclick: () => {
      close();
      change("DELETE", `/v1/visit/saved${query()}`);
    },
  }, t("removeAll"));
  const element = dialog(t("removeTitle"), t("removeText"), [cancel, remove], close);
}

// MARK: The connection

async function connection(isConnected) {
  page.isConnected = isConnected;
  if (isConnected) {
    page.setup = await ask("GET", "/v1/kiosk");
    page.isButtonFaulty = page.setup.button.isFaulty;
    return begunBefore ? beginAnew() : firstScreen();
  }
  stop({ isSilent: true });
  closeDialogs();
  page.isVisiting = false;
  page.open.clear();
  drawIndicator();
  const isLink = await ask("GET", "/v1/kiosk").then(() => false, (error) => error.status === 401);
  if (!page.isConnected) show("lost", { isLink });
}

let begunBefore = false;

function firstScreen() {
  begunBefore = true;
  beginAnew();
  const button = page.screen.element.querySelector(".listen");
  if (!button) return;
  // Fonts decide what is clipped, so they are waited for.
  document.fonts.ready.then(() => {
    const faults = faultsEverywhere(button, page.setup.button.label, scales);
    if (faults.length > 0) reportButton(faults);
    else ask("POST", "/v1/button", { fault: null }).catch(() => {});
  });
}

async function boot() {
  for (;;) {
    try {
      page.setup = await ask("GET", "/v1/kiosk");
      break;
    } catch (error) {
      await new Promise((wake) => setTimeout(wake, 1000));
    }
  }
  page.language = page.setup.language;
  page.isButtonFaulty = page.setup.button.isFaulty;
  document.getElementById("page").append(header, main, footer);
  document.body.append(indicator);
  drawFrame();
  show("start", undefined, { keepsFocus: true });
  follow({ event: takeEvent, prompt: takePrompt, connected: connection });
}

for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, noteInput, { capture: true });

// Outside, Back and Esc do what the explanation's one action does (rule E1).
addEventListener("keydown", (event) => {
  if (!event.isTrusted || document.querySelector("dialog[open]")) return;
  if (event.key === "Escape" && page.screen.name === "explanation") begin();
  else if (event.key === "Escape" && page.listening) stop();
  else if (event.key === "Home" && !(event.target instanceof HTMLInputElement)) leaveTo("start");
});
addEventListener("click", (event) => {
  // The tap that brought the explanation up arrives here after it, and so may the second of two quick ones.
  if (page.screen.name !== "explanation" || !event.isTrusted || event.detail > 1 || !event.target.isConnected) return;
  if (!page.screen.element.contains(event.target)) begin();
});
addEventListener("popstate", () => {
  if (page.screen.name === "explanation" && navigator.userActivation.hasBeenActive) begin();
});

/** What a preview draws with. */
export const stage = {
  page, context, takePrompt, takeEvent, setLevel, drawFrame, warn, closeDialogs,
  isReady: () => page.isConnected && begunBefore,
};

boot();
